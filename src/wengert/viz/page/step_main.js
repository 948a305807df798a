// Start of the page of steps: connects buttons, keys, the list of steps, the drawing and the panel.
class Stepper {
  constructor(data) {
    this.nodes = new Nodes(data.graph);
    this.steps = data.steps;
    this.gradient = data.gradient;
    this.leaves = [...new Set(this.steps.map(({ node }) => node).filter((node) => this.nodes.kind(node) >= PARAMETER))];
    this.drawing = new SteppedDrawing(this.nodes, this.steps);
    this.drawing.onChoice = (item) => { if (item !== null && !(item instanceof Group)) this.goToNode(item); };
    this.drawing.group(waysToGroup(this.nodes)[0]);
    this.rows = this.steps.map((step, at) => {
      const title = this.nodes.title(step.node) || "(no name)";
      const button = element("button", { type: "button", onclick: () => this.goTo(at) },
        element("span", { class: "mark", "aria-hidden": "true" }), element("code", {}, `[${at}] `), element("span", { class: "name" }, title));
      return button;
    });
    byId("order").replaceChildren(...this.rows.map((row) => element("li", {}, row)));
    this.leafList = new LeafList(this);
    byId("leaves").append(this.leafList.list);
    this.goTo(-1, false);
  }

  // Show a position: -1 is before the first step, the number of steps after the last one.
  goTo(position, aloud = true) {
    this.position = Math.max(-1, Math.min(this.steps.length, position));
    const { position: at, steps } = this;
    this.drawing.goTo(at);
    const [first, last] = this.marked === undefined ? [0, steps.length] : [Math.min(this.marked, at), Math.max(this.marked, at)];
    for (let place = Math.max(0, first); place <= last && place < steps.length; place++) this.markRow(place);
    this.marked = at;
    this.rows[Math.min(at, steps.length - 1)]?.scrollIntoView({ block: "nearest" });
    const panel = at < 0 ? beginPanel(this.gradient) : at < steps.length ? stepPanel(this, at) : endPanel(steps);
    byId("details").replaceChildren(...panel);
    byId("details").scrollTop = 0;
    this.leafList.goTo(at);
    byId("progress").textContent = `${Math.min(at + 1, steps.length)} of ${readableCount(steps.length)}`;
    // They stay in the order of the Tab key, so that whoever holds one of them down keeps the focus.
    for (const [id, off] of [["back", at < 0], ["to-begin", at < 0], ["step", at >= steps.length], ["to-end", at >= steps.length]])
      byId(id).setAttribute("aria-disabled", String(off));
    if (aloud) say(this.spoken());
  }

  markRow(place) {
    const row = this.rows[place], state = place < this.position ? DONE : place === this.position ? RUNNING : WAITING;
    row.className = state;
    row.firstChild.textContent = MARKS[state];
    if (state === RUNNING) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  }

  goToNode(node) {
    const at = this.drawing.stepOf.get(node);
    if (at !== undefined) this.goTo(at);
  }

  spoken() {
    const { position: at, steps, nodes } = this;
    if (at < 0) return "Before the pass.";
    if (at === steps.length) return "All nodes have run.";
    const step = steps[at];
    const passes = step.passes.map(([, target, value]) => `${nodes.title(target)}: ${valueInWords(value)}`);
    return `Step ${at}, ${nodes.title(step.node)}. Arrives: ${step.arrives.map(valueInWords).join("; ")}.`
      + (passes.length ? ` Passes on to ${passes.join("; ")}.` : "");
  }
}

const stepper = new Stepper(DATA);
const ACTIONS = {
  back: () => stepper.goTo(stepper.position - 1), step: () => stepper.goTo(stepper.position + 1),
  "to-end": () => stepper.goTo(stepper.steps.length), "to-begin": () => stepper.goTo(-1),
  "zoom-in": () => stepper.drawing.zoom(1.3), "zoom-out": () => stepper.drawing.zoom(1 / 1.3), fit: () => stepper.drawing.fit(),
  theme: nextTheme, "help-button": () => byId("help").showModal(),
};
const KEYS = {
  ArrowRight: ACTIONS.step, ArrowLeft: ACTIONS.back, End: ACTIONS["to-end"], Home: ACTIONS["to-begin"],
  "+": ACTIONS["zoom-in"], "-": ACTIONS["zoom-out"], 0: ACTIONS.fit, d: () => byId("details").focus(), t: nextTheme, "?": ACTIONS["help-button"],
};

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog")) return;
  if (event.target.closest("pre") && event.key.startsWith("Arrow")) return; // it scrolls
  if (!Object.hasOwn(KEYS, event.key)) return;
  KEYS[event.key]();
  event.preventDefault();
}

setTheme("auto");
for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
document.addEventListener("keydown", onKey);
byId("summary").textContent = `${counted(stepper.steps.length, "step")}; ${DATA.graph.summary}`;
requestAnimationFrame(() => requestAnimationFrame(() => performance.mark("painted")));
