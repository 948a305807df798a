// Start of the page: creates its parts and connects them.
const nodes = DATA.graph && new Nodes(DATA.graph);
const drawing = nodes && new Drawing(nodes);
const timeline = DATA.timeline && new Timeline(DATA.timeline, drawing);
const VIEWS = ["graph", "timeline"];

function chooseTab(name, focus = false) {
  for (const view of VIEWS) {
    const tab = byId(`tab-${view}`), chosen = view === name;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(`view-${view}`).hidden = !chosen;
    if (chosen && focus) tab.focus();
  }
  if (name === "timeline") timeline.show();
  else drawing.resize();
}

function setUpTabs() {
  const there = VIEWS.filter((view) => (view === "graph" ? drawing : timeline));
  for (const view of VIEWS) {
    const tab = byId(`tab-${view}`);
    tab.hidden = !there.includes(view);
    tab.addEventListener("click", () => chooseTab(view));
    tab.addEventListener("keydown", (event) => {
      const side = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (side) chooseTab(there[(there.indexOf(view) + side + there.length) % there.length], true);
    });
  }
  byId("tabs").hidden = there.length < 2;
  return there[0];
}

function setUpGraph() {
  const search = new Search(drawing);
  new Outline(drawing);
  drawing.listeners.push(() => showDetails(drawing));
  const ways = waysToGroup(nodes);
  byId("grouping").append(...ways.map(([key, words]) => element("option", { value: key }, words)));
  byId("grouping").addEventListener("change", (event) =>
    drawing.group(ways.find(([key]) => key === event.target.value)));
  const metrics = [["kind", "kind"], ["bytes", METRICS.bytes.words]];
  if (nodes.time) metrics.push(["time", METRICS.time.words]);
  if (nodes.gradient) metrics.push(["gradient", METRICS.gradient.words]);
  byId("colouring").append(...metrics.map(([key, words]) => element("option", { value: key }, words)));
  byId("colouring").addEventListener("change", (event) => { drawing.metric = event.target.value; drawing.paint(); });
  const buttons = {
    "open-more": () => drawing.openMore(), "close-all": () => drawing.closeAll(), fit: () => drawing.fit(),
    "zoom-in": () => drawing.zoom(1.3), "zoom-out": () => drawing.zoom(1 / 1.3),
  };
  for (const [id, action] of Object.entries(buttons)) byId(id).addEventListener("click", action);
  byId("canvas").addEventListener("keydown", onCanvasKey);
  drawing.group(ways[0]);
  return search;
}

function onCanvasKey(event) {
  const directions = { ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right" };
  if (event.key in directions) {
    const next = drawing.step(directions[event.key]);
    if (next !== null) drawing.reveal(next);
  } else if (event.key === "Enter" || event.key === " ") drawing.toggle(drawing.chosen);
  else if (event.key === "Escape" && drawing.chosen !== null) {
    const around = drawing.groups.ancestors(drawing.chosen)[0];
    if (around) { drawing.chosen = around; drawing.close(around); } else drawing.choose(null);
  } else return;
  event.preventDefault();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, dialog")) return;
  const graphIsShown = drawing && !byId("view-graph").hidden;
  const actions = { t: nextTheme, "?": () => byId("help").showModal() };
  if (graphIsShown) Object.assign(actions, {
    "/": () => byId("search").focus(), "+": () => drawing.zoom(1.3), "-": () => drawing.zoom(1 / 1.3),
    0: () => drawing.fit(), d: () => byId("details").focus(),
  });
  if (!(event.key in actions)) return;
  actions[event.key]();
  event.preventDefault();
}

setTheme("auto");
byId("theme").addEventListener("click", nextTheme);
byId("help-button").addEventListener("click", () => byId("help").showModal());
document.addEventListener("keydown", onKey);
const firstView = setUpTabs();
if (drawing) {
  byId("summary").textContent = DATA.graph.summary;
  setUpGraph();
} else byId("heading").textContent = document.title = "Profile";
if (firstView) chooseTab(firstView);
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("painted")));
