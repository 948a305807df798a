// Positions of the visible boxes and arrows, by dagre's layered layout.
const FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace";
const LINE = 16;
const NEAR_USES = 3;
const PADDING = 14;
const CLEARANCE = 12;
const room = { beside: 24 }; // of the text in a box, both sides together
const measuring = document.createElement("canvas").getContext("2d");
measuring.font = FONT;

const shortened = (words, longest = 38) =>
  words.length <= longest ? words : `${words.slice(0, longest / 2 - 1)}\u2026${words.slice(-longest / 2)}`;

// The lines of text in a box.
function linesOf(item, nodes) {
  if (item instanceof Group) {
    const lines = [shortened(item.label || "(no name)"), counted(item.end - item.begin, "node")];
    if (item.bytes) lines.push(`saves ${readableBytes(item.bytes)}`);
    return lines;
  }
  const lines = [shortened(nodes.title(item) || "(no name)")];
  if (nodes.shapes(item)) lines.push(shortened(nodes.shapes(item)));
  if (nodes.raw.saved[item].length) lines.push(`saves ${readableBytes(nodes.bytes[item])}`);
  else if (nodes.released.has(item)) lines.push("saved: released");
  return lines;
}

function sizeOf(lines) {
  const width = Math.max(...lines.map((line) => measuring.measureText(line).width));
  return { width: Math.ceil(width) + room.beside, height: lines.length * LINE + 12 };
}

const idOf = (item) => (item instanceof Group ? item.id : `n${item}`);

// The visible boxes with their places, and the arrows between them with their bends.
//
// Each open group is laid out by itself, with its members as boxes; an open member is as large as its own layout. So no
// layout has more boxes than a group has members, and a change of one group moves only the boxes around it.
function layOut(groups) {
  const { boxes, boxOf } = groups.visible();
  for (const box of boxes) {
    box.id = idOf(box.item);
    box.isOpen = box.item instanceof Group && box.item.open;
    box.lines = box.isOpen ? [shortened(box.item.label)] : linesOf(box.item, groups.nodes);
    box.chain = [...groups.ancestors(box.item).reverse(), box.item].map(idOf);
  }
  const arrows = arrowsBetween(boxes, boxOf, groups.nodes.raw.edges);
  const inner = new Map(); // for each open group the arrows between its members
  for (const arrow of arrows) if (!arrow.far) meet(arrow, inner);
  const byId = new Map(boxes.map((box) => [box.id, box]));
  place(groups.root, byId, inner);
  settle(groups.root, byId, inner, 0, 0);
  return { boxes, arrows };
}

function arrowsBetween(boxes, boxOf, edges) {
  const arrows = new Map();
  for (let at = 0; at < edges.length; at += 3) {
    const source = boxOf[edges[at]], target = boxOf[edges[at + 1]];
    if (source === target) continue;
    const key = source * boxes.length + target;
    const known = arrows.get(key);
    if (known) known.count += edges[at + 2];
    else arrows.set(key, { key, source: boxes[source], target: boxes[target], count: edges[at + 2] });
  }
  const sorted = [...arrows.values()].sort((first, second) => first.key - second.key);
  markFar(sorted);
  return sorted;
}

// Record an arrow in the innermost group that holds both its ends, as an arrow from one member to another.
function meet(arrow, inner) {
  const from = arrow.source.chain, to = arrow.target.chain;
  let depth = 0;
  while (from[depth] === to[depth]) depth++;
  const group = depth ? from[depth - 1] : "root";
  if (!inner.has(group)) inner.set(group, new Map());
  const key = `${from[depth]}>${to[depth]}`;
  arrow.route = inner.get(group).get(key) ?? { source: from[depth], target: to[depth] };
  inner.get(group).set(key, arrow.route);
}

// Lay out the members of a group, from the innermost groups outwards; returns the size of the whole.
function place(group, byId, inner) {
  const drawing = new dagre.graphlib.Graph();
  drawing.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 40, edgesep: 10 });
  for (const member of group.members) {
    const box = byId.get(idOf(member));
    Object.assign(box, box.isOpen ? place(member, byId, inner) : sizeOf(box.lines));
    drawing.setNode(box.id, { width: box.width, height: box.height });
  }
  const routes = [...(inner.get(group.parent ? group.id : "root")?.values() ?? [])];
  let before = null;
  for (const { source, target } of routes) {
    // The first arrow into the next box is the main line, which is drawn straight.
    drawing.setEdge(source, target, { weight: source === before ? 1 : 4 });
    before = source;
  }
  dagre.layout(drawing);
  for (const route of routes) route.points = drawing.edge(route.source, route.target).points;
  for (const member of group.members) byId.get(idOf(member)).within = drawing.node(idOf(member));
  const { width, height } = drawing.graph();
  const title = group.parent ? sizeOf([shortened(group.label)]).width : 0;
  return { width: Math.max(width, title) + 2 * PADDING, height: height + 2 * PADDING + LINE, inset: width, title };
}

// Convert positions within groups to positions in the drawing.
function settle(group, byId, inner, left, top) {
  for (const member of group.members) {
    const box = byId.get(idOf(member));
    box.x = left + box.within.x;
    box.y = top + box.within.y;
    if (box.isOpen) settle(member, byId, inner, box.x - box.inset / 2, box.y - box.height / 2 + PADDING + LINE);
  }
  for (const route of inner.get(group.parent ? group.id : "root")?.values() ?? [])
    route.points = route.points.map(({ x, y }) => ({ x: x + left, y: y + top }));
}

// A box that is used all over the graph would pull the drawing apart: only its first uses count for the layout.
function markFar(arrows) {
  const uses = new Map();
  for (const arrow of arrows) {
    const count = (uses.get(arrow.source) ?? 0) + 1;
    uses.set(arrow.source, count);
    arrow.far = count > NEAR_USES;
  }
}

// Bends as cytoscape takes them: how far along the straight line between two boxes, and how far beside it.
function bends(arrow, boxes) {
  const { source, target } = arrow;
  const dx = target.x - source.x, dy = target.y - source.y, length = Math.hypot(dx, dy);
  if (length === 0) return null;
  const along = (point) => ((point.x - source.x) * dx + (point.y - source.y) * dy) / length;
  const beside = (point) => ((point.y - source.y) * dx - (point.x - source.x) * dy) / length;
  const isDirect = arrow.route.source === source.id && arrow.route.target === target.id;
  const aside = isDirect ? 0 : detour(arrow, boxes, length, along, beside);
  const end = Math.min(0.3 * length, 45);
  const points = isDirect ? arrow.route.points.slice(1, -1) : aside === 0 ? [] : [end, length - end].map((far) => ({
    x: source.x + (far * dx - aside * dy) / length,
    y: source.y + (far * dy + aside * dx) / length,
  }));
  const kept = points.filter((point) => !covers(source, point) && !covers(target, point));
  if (kept.every((point) => Math.abs(beside(point)) < 1)) return null;
  return { weights: kept.map((point) => along(point) / length), distances: kept.map(beside) };
}

// True if a point is on a box, or so near to it that no arrow could end between them.
const covers = (box, point) =>
  Math.abs(point.x - box.x) < box.width / 2 + CLEARANCE / 2 && Math.abs(point.y - box.y) < box.height / 2 + CLEARANCE / 2;

// The shortest sideways distance by which an arrow into or out of a group avoids every box.
function detour({ source, target }, boxes, length, along, beside) {
  const dx = Math.abs(target.x - source.x), dy = Math.abs(target.y - source.y);
  let left = 0, right = 0, met = false;
  for (const box of boxes) {
    if (box.isOpen || box === source || box === target) continue;
    const reach = (dy * box.width + dx * box.height) / (2 * length);
    const distance = beside(box), place = along(box);
    if (place < 0 || place > length || Math.abs(distance) > reach) continue;
    met = true;
    right = Math.max(right, distance + reach);
    left = Math.max(left, reach - distance);
  }
  if (!met) return 0;
  return right < left ? right + CLEARANCE : -left - CLEARANCE;
}
