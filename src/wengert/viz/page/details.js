// The panel with the details of the selected box.
function heading(words, kind) {
  return element("h2", {}, words, element("small", {}, kind));
}

function facts(pairs) {
  const list = element("dl");
  for (const [name, value] of pairs)
    if (value !== "" && value !== null && value !== undefined)
      list.append(element("dt", {}, name), element("dd", {}, ...(Array.isArray(value) ? value : [String(value)])));
  return list;
}

function itemButton(drawing, item, extra = "") {
  const name = item instanceof Group ? item.label : drawing.nodes.title(item);
  return element("button", { type: "button", class: "link", onclick: () => drawing.reveal(item) }, (name || "(no name)") + extra);
}

function listOf(drawing, words, ends) {
  if (!ends.length) return null;
  const shown = ends.slice(0, 40).map(([item, count]) => {
    const shapes = item instanceof Group ? "" : drawing.nodes.shapes(item);
    return element("li", {}, itemButton(drawing, item, count > 1 ? ` \u00d7${readableCount(count)}` : ""), element("small", {}, shapes));
  });
  if (ends.length > shown.length) shown.push(element("li", {}, `and ${readableCount(ends.length - shown.length)} more`));
  return element("section", {}, element("h3", {}, `${words} (${readableCount(ends.length)})`), element("ul", { class: "plain" }, ...shown));
}

function savedTable(nodes, node) {
  const saved = nodes.raw.saved[node];
  if (!saved.length) return nodes.released.has(node) ? element("p", {}, "What it saved is released.") : null;
  const rows = saved.map(([name, words, bytes, , packed]) => element("tr", {},
    element("td", {}, STRINGS[name]),
    element("td", {}, (STRINGS[words] || "packed by a hook, size unknown") + (packed && STRINGS[words] ? ", packed" : "")),
    element("td", { class: "number" }, readableBytes(bytes))));
  const head = element("tr", {}, ...["name", "tensor", "bytes"].map((words) => element("th", { scope: "col" }, words)));
  return element("section", {}, element("h3", {}, "Saved for the backward pass"),
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

function nodeDetails(drawing, node) {
  const { nodes } = drawing, { raw } = nodes;
  const gradient = nodes.gradient?.[node] ?? null;
  const around = drawing.groups.ancestors(node).reverse().flatMap((group, at) =>
    (at ? [" \u203a ", itemButton(drawing, group)] : [itemButton(drawing, group)]));
  return [
    heading(nodes.title(node) || "(no name)", { leaf: "other leaf" }[KINDS[nodes.kind(node)]] ?? KINDS[nodes.kind(node)]),
    facts([
      [nodes.kind(node) === OPERATOR ? "gives" : "shape", nodes.shapes(node)],
      ["module", nodes.moduleInWords(node)],
      ["name scope", nodes.scope(node)],
      ["made at", nodes.source(node)],
      ["gradient norm", gradient === null ? "" : readableNorm(gradient)],
      ["forward", raw.forward?.[node] == null ? "" : readableTime(Number(raw.forward[node]))],
      ["backward", raw.backward?.[node] == null ? "" : readableTime(Number(raw.backward[node]))],
      ["sequence number", raw.sequence?.[node] ?? ""],
      ["in the groups", around.length ? around : ""],
    ]),
    savedTable(nodes, node),
    listOf(drawing, "Computed from", nodes.sources(node)),
    listOf(drawing, "Used by", nodes.targets(node)),
  ];
}

function groupDetails(drawing, group) {
  const inner = group.members.map((member) => [member, 1]);
  const toggle = element("button", { type: "button", onclick: () => drawing.toggle(group) }, group.open ? "Close" : "Open");
  return [
    heading(group.label, "group"),
    facts([
      ["path", group.path().join(" \u203a ")],
      ["nodes", readableCount(group.end - group.begin)],
      ["operators", readableCount(group.operators)],
      ["saves", readableBytes(group.bytes)],
      ["time", drawing.nodes.time ? readableTime(group.time) : ""],
      ["largest gradient norm", group.gradient === null ? "" : readableNorm(group.gradient)],
    ]),
    toggle,
    listOf(drawing, "Holds", inner),
  ];
}

function showDetails(drawing) {
  const item = drawing.chosen, panel = byId("details");
  if (item === null) {
    panel.replaceChildren(heading("Nothing chosen", "details"),
      element("p", {}, "Choose a box in the graph, in the outline, or by searching."));
    return;
  }
  const parts = item instanceof Group ? groupDetails(drawing, item) : nodeDetails(drawing, item);
  panel.replaceChildren(...parts.filter((part) => part !== null));
  say(spoken(drawing, item));
}

// Description of a box for a screen reader.
function spoken(drawing, item) {
  const { nodes } = drawing;
  if (item instanceof Group)
    return `${item.label}, ${item.open ? "open" : "closed"} group, ${counted(item.end - item.begin, "node")}, saves ${readableBytes(item.bytes)}`;
  const parts = [nodes.title(item), KINDS[nodes.kind(item)]];
  if (nodes.shapes(item)) parts.push(`gives ${nodes.shapes(item)}`);
  if (nodes.bytes[item]) parts.push(`saves ${readableBytes(nodes.bytes[item])}`);
  if (nodes.module(item)) parts.push(`module ${nodes.moduleInWords(item)}`);
  parts.push(counted(nodes.sources(item).length, "input"), counted(nodes.targets(item).length, "use"));
  return parts.join(", ");
}
