// Where boxes and arrows go: dagre's layered layout of what is visible.
const FONT = "12px ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace";
const LINE = 16;
const NEAR_USES = 3;
const measuring = document.createElement("canvas").getContext("2d");
measuring.font = FONT;

const shortened = (words, longest = 38) =>
  words.length <= longest ? words : `${words.slice(0, longest / 2 - 1)}\u2026${words.slice(-longest / 2)}`;

// What stands in a box.
function linesOf(item, nodes) {
  if (item instanceof Group) {
    const lines = [shortened(item.name || "(no name)"), counted(item.end - item.begin, "node")];
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
  return { width: Math.ceil(width) + 24, height: lines.length * LINE + 12 };
}

const idOf = (item) => (item instanceof Group ? item.id : `n${item}`);

// The visible boxes with their places, and the arrows between them with their bends.
function layOut(groups) {
  const { nodes } = groups;
  const { boxes, boxOf } = groups.visible();
  const drawing = new dagre.graphlib.Graph({ compound: true });
  drawing.setGraph({ rankdir: "TB", nodesep: 18, ranksep: 40, edgesep: 10, ranker: "tight-tree" });
  drawing.setDefaultEdgeLabel(() => ({}));
  for (const box of boxes) {
    box.id = idOf(box.item);
    box.isOpen = box.item instanceof Group && box.item.open;
    box.lines = box.isOpen ? [shortened(box.item.name)] : linesOf(box.item, nodes);
    drawing.setNode(box.id, box.isOpen ? {} : sizeOf(box.lines));
    if (box.around) drawing.setParent(box.id, box.around.id);
  }
  const arrows = new Map();
  const { edges } = nodes.raw;
  for (let at = 0; at < edges.length; at += 3) {
    const source = boxOf[edges[at]], target = boxOf[edges[at + 1]];
    if (source === target) continue;
    const key = source * boxes.length + target;
    const known = arrows.get(key);
    if (known) known.count += edges[at + 2];
    else arrows.set(key, { source: boxes[source].id, target: boxes[target].id, count: edges[at + 2] });
  }
  const sorted = [...arrows.entries()].sort(([first], [second]) => first - second).map(([, arrow]) => arrow);
  markFar(sorted);
  let before = null;
  for (const arrow of sorted) {
    if (arrow.far) continue;
    // The first arrow into what comes next is the main line: it is to be straight.
    drawing.setEdge(arrow.source, arrow.target, { weight: arrow.source === before ? 1 : 6 });
    before = arrow.source;
  }
  dagre.layout(drawing);
  for (const box of boxes) Object.assign(box, drawing.node(box.id));
  for (const arrow of sorted) if (!arrow.far) arrow.points = drawing.edge(arrow.source, arrow.target).points;
  return { boxes, arrows: sorted };
}

// What is used all over the graph would pull the drawing apart: only its first uses count for the layout.
function markFar(arrows) {
  const uses = new Map();
  for (const arrow of arrows) {
    const count = (uses.get(arrow.source) ?? 0) + 1;
    uses.set(arrow.source, count);
    arrow.far = count > NEAR_USES;
  }
}

// Bends as cytoscape takes them: how far along the straight line between two boxes, and how far beside it.
function bends(points, source, target) {
  const dx = target.x - source.x, dy = target.y - source.y, square = dx * dx + dy * dy;
  if (points.length < 3 || square === 0) return null;
  const inner = points.slice(1, -1), length = Math.sqrt(square);
  const weights = inner.map((point) => ((point.x - source.x) * dx + (point.y - source.y) * dy) / square);
  const distances = inner.map((point) => ((point.y - source.y) * dx - (point.x - source.x) * dy) / length);
  if (distances.every((distance) => Math.abs(distance) < 1)) return null;
  return { weights, distances };
}
