// The drawing of the visible boxes, by cytoscape; colours come from the style sheet, so that themes apply to them.
const MOST_VISIBLE = 260;
const WANTED_AT_FIRST = 30;
const READABLE = 0.65;
const MARGIN = 30;
const calm = matchMedia("(prefers-reduced-motion: reduce)");

const METRICS = {
  bytes: { words: "saved bytes", tone: "bytes", write: readableBytes, share: (value, most) => Math.sqrt(value / most) },
  time: { words: "time", tone: "time", write: readableTime, share: (value, most) => Math.sqrt(value / most) },
  gradient: { words: "gradient norm", tone: "gradient", write: readableNorm },
};

class Drawing {
  constructor(nodes) {
    this.nodes = nodes;
    this.chosen = null; // an item
    this.found = new Set(); // nodes
    this.listeners = [];
    this.metric = "kind";
    this.clock = 0;
    this.moved = false; // by the reader: what fits the window is then left alone
    this.wasEmpty = true; // the canvas had no size yet, as in a frame that is laid out later
    this.cy = cytoscape({
      container: byId("canvas"), elements: [], layout: { name: "preset" }, style: this.style(),
      minZoom: 0.02, maxZoom: 4, autoungrabify: true, boxSelectionEnabled: false,
      selectionType: "single",
    });
    this.cy.on("tap", "node", (event) => this.choose(this.itemOf(event.target.id())));
    this.cy.on("tap", (event) => { if (event.target === this.cy) this.choose(null); });
    this.cy.on("dbltap", "node", (event) => this.toggle(this.itemOf(event.target.id())));
    this.cy.on("dragpan scrollzoom pinchzoom", () => { this.moved = true; });
    themeListeners.push(() => { this.cy.style(this.style()); if (this.groups) this.paint(); });
    new ResizeObserver(() => this.resize()).observe(byId("canvas"));
  }

  style() {
    const face = FONT.replace(/^12px /, "");
    const chosen = colour("chosen"), arrow = colour("arrow");
    return [
      { selector: "node", style: {
        shape: "round-rectangle", width: "data(width)", height: "data(height)", label: "data(label)",
        "text-wrap": "wrap", "text-max-width": 600, "text-valign": "center", "line-height": 1.33, "font-size": 12,
        "font-family": face, "min-zoomed-font-size": 5, "background-color": "data(fill)", "border-color": "data(edge)",
        "border-width": 1.2, color: "data(words)", "corner-radius": 7, "overlay-opacity": 0 } },
      { selector: "node.group", style: {
        "border-width": 2, ghost: "yes", "ghost-offset-x": 4, "ghost-offset-y": 4, "ghost-opacity": 0.45 } },
      { selector: "node.open", style: {
        "background-color": colour("open"), "background-opacity": 0.55, "border-color": colour("line"), "border-width": 1.2,
        "border-style": "dashed", "text-valign": "top", "text-margin-y": -3, "text-margin-x": "data(shift)", color: colour("pale"), padding: 12, "font-size": 12 } },
      { selector: "edge", style: {
        width: "data(width)", "line-color": arrow, "target-arrow-color": arrow, "target-arrow-shape": "triangle",
        "arrow-scale": 0.8, "curve-style": "straight", label: "data(label)", "font-size": 10, "font-family": face,
        color: colour("pale"), "min-zoomed-font-size": 6, "text-background-color": colour("ground"),
        "text-background-opacity": 0.85, "overlay-opacity": 0 } },
      { selector: "edge.bent", style: {
        "curve-style": "round-segments", "segment-weights": "data(weights)", "segment-distances": "data(distances)",
        "segment-radii": 18, "edge-distances": "node-position" } },
      { selector: "edge.far", style: {
        "curve-style": "unbundled-bezier", "control-point-distances": 60, "control-point-weights": 0.5, "line-style": "dashed",
        display: "none" } },
      { selector: "edge.far.near", style: { display: "element" } },
      { selector: "node.found", style: { "border-color": colour("found"), "border-width": 3.5 } },
      { selector: "edge.near", style: {
        "line-color": chosen, "target-arrow-color": chosen, "z-index": 9 } },
      { selector: "node.chosen", style: { "border-color": chosen, "border-width": 4, "border-style": "solid" } },
    ];
  }

  itemOf(id) {
    return id.startsWith("g") ? this.groups.all.get(id) : Number(id.slice(1));
  }

  // Group the nodes in one of `waysToGroup`.
  group([, , pathOf, typeOf]) {
    this.groups = new Groups(this.nodes, pathOf, typeOf);
    if (this.chosen instanceof Group) this.chosen = null;
    this.begin();
  }

  // Open as many groups as can be read when the whole drawing fits the window, and fit it.
  begin() {
    this.wasEmpty = this.isEmpty();
    for (const group of this.groups.all.values()) group.open = group === this.groups.root;
    let closed = this.closed(this.groups.root);
    while (closed.length) {
      const opened = [];
      for (const group of closed) {
        if (this.groups.countVisible() + group.members.length > WANTED_AT_FIRST) continue;
        group.open = true;
        opened.push(group);
      }
      if (opened.length && !this.isReadable(layOut(this.groups).boxes)) {
        for (const group of opened) group.open = false;
        break;
      }
      if (!opened.length) break;
      closed = this.closed(this.groups.root);
    }
    this.show();
    this.fit();
  }

  isEmpty() {
    const { clientWidth, clientHeight } = this.cy.container();
    return !(clientWidth > 2 * MARGIN && clientHeight > 2 * MARGIN);
  }

  // Whether boxes can be read when all of them fit the window; unknown, hence true, while it has no size.
  isReadable(boxes) {
    if (this.isEmpty()) return true;
    const { clientWidth, clientHeight } = this.cy.container();
    const length = (at, size) =>
      Math.max(...boxes.map((box) => box[at] + box[size] / 2)) - Math.min(...boxes.map((box) => box[at] - box[size] / 2));
    const zoom = Math.min((clientWidth - 2 * MARGIN) / length("x", "width"), (clientHeight - 2 * MARGIN) / length("y", "height"));
    return zoom >= READABLE;
  }

  // The window has another size: fit the drawing again unless the reader has moved it.
  resize() {
    this.cy.resize();
    if (!this.groups || this.isEmpty()) return;
    if (this.wasEmpty) this.begin();
    else if (!this.moved) this.fit();
  }

  // The closed groups that are visible.
  closed(group) {
    const found = [];
    for (const member of group.members)
      if (member instanceof Group) found.push(...(member.open ? this.closed(member) : [member]));
    return found;
  }

  show(fixed = null) {
    const before = fixed && this.cy.getElementById(idOf(fixed));
    const place = before?.nonempty() ? { ...before.renderedPosition() } : null;
    const { boxes, arrows } = layOut(this.groups);
    const elements = boxes.map((box) => ({
      group: "nodes", position: { x: box.x, y: box.y },
      data: {
        id: box.id, parent: box.around?.id, label: this.labelOf(box), width: box.width, height: box.height,
        shift: box.isOpen ? (box.title - box.width) / 2 : 0, fill: "#888888", edge: "#888888", words: "#000000",
      },
      classes: box.isOpen ? "open" : box.item instanceof Group ? "group" : "",
    }));
    for (const arrow of arrows) {
      const bent = arrow.far ? null : bends(arrow, boxes);
      elements.push({
        group: "edges", classes: arrow.far ? "far" : bent ? "bent" : "",
        data: {
          id: `${arrow.source.id}>${arrow.target.id}`, source: arrow.source.id, target: arrow.target.id, ...bent,
          label: arrow.count > 1 ? `\u00d7${readableCount(arrow.count)}` : "",
          width: Math.min(6, 1.2 + Math.log10(arrow.count)),
        },
      });
    }
    this.boxes = boxes;
    this.hasFar = arrows.some((arrow) => arrow.far);
    this.cy.batch(() => {
      this.cy.elements().remove();
      this.cy.add(elements);
    });
    this.paint();
    if (place) {
      const now = this.cy.getElementById(idOf(fixed));
      if (now.nonempty()) {
        const at = now.renderedPosition();
        this.cy.panBy({ x: place.x - at.x, y: place.y - at.y });
      }
    }
    for (const listener of this.listeners) listener();
  }

  labelOf(box) { return box.lines.join("\n"); }

  valueOf(item) {
    const whole = item instanceof Group;
    if (this.metric === "bytes") return whole ? item.bytes : this.nodes.bytes[item];
    if (this.metric === "time") return whole ? item.time : this.nodes.time[item];
    return whole ? item.gradient : this.nodes.gradient[item] ?? null;
  }

  // The limits of the scale: all nodes, so that colours keep their meaning while groups open and close.
  limits() {
    const visible = this.boxes.filter((box) => !box.isOpen).map((box) => this.valueOf(box.item));
    const values = visible.filter((value) => value !== null && Number.isFinite(value) && value > 0);
    return [Math.min(...values), Math.max(...values)];
  }

  paint() {
    const limits = this.metric === "kind" ? null : this.limits();
    this.cy.batch(() => {
      for (const box of this.boxes) {
        const shown = this.cy.getElementById(box.id);
        if (!box.isOpen) shown.data(this.looks(box.item, limits));
        shown.toggleClass("chosen", box.item === this.chosen);
        shown.toggleClass("found", this.found.size > 0 && !box.isOpen && this.isFound(box.item));
      }
      const around = this.chosen === null ? this.cy.collection() : this.cy.getElementById(idOf(this.chosen));
      this.cy.edges().removeClass("near");
      around.connectedEdges().addClass("near");
    });
    this.drawLegend(limits);
  }

  isFound(item) {
    if (!(item instanceof Group)) return this.found.has(item);
    for (let at = item.begin; at < item.end; at++) if (this.found.has(this.groups.flat[at])) return true;
    return false;
  }

  looks(item, limits) {
    const kind = item instanceof Group ? "group" : KINDS[this.nodes.kind(item)];
    const looks = { fill: colour(kind), edge: colour(`${kind}-edge`), words: colour(kind === "output" ? "on-output" : "words") };
    if (limits === null || kind === "output") return looks;
    const value = this.valueOf(item);
    looks.words = colour("words");
    if (value !== null && !Number.isFinite(value)) return { fill: colour("alarm"), edge: colour("alarm-edge"), words: colour("on-alarm") };
    looks.fill = this.tone(value, limits);
    return looks;
  }

  tone(value, [least, most]) {
    if (value === null || value === 0 || !(most > 0)) return colour("nothing");
    const { tone, share } = METRICS[this.metric];
    const part = share ? share(value, most) : most > least ? Math.log(value / least) / Math.log(most / least) : 1;
    return between(colour(`${tone}-least`), colour(`${tone}-most`), Math.max(0, Math.min(1, part)));
  }

  drawLegend(limits) {
    const legend = byId("legend");
    const swatch = (fill, edge, words) => element("span", { class: "swatch" }, element("i", { "data-fill": fill, "data-edge": edge }), words);
    if (limits === null) {
      legend.replaceChildren(...["operator", "parameter", "leaf", "output", "group"].map(
        (kind) => swatch(colour(kind), colour(`${kind}-edge`), kind === "leaf" ? "other leaf" : kind)));
    } else {
      const { words, write } = METRICS[this.metric];
      const scale = limits[1] > 0 ? [0, 0.25, 0.5, 0.75, 1].map((part) =>
        element("i", { "data-fill": between(colour(`${METRICS[this.metric].tone}-least`), colour(`${METRICS[this.metric].tone}-most`), part) })) : [];
      legend.replaceChildren(words, swatch(colour("nothing"), colour("line"), "none"));
      if (scale.length) legend.append(write(limits[0]), element("span", { class: "scale" }, ...scale), write(limits[1]));
      if (this.metric === "gradient") legend.append(swatch(colour("alarm"), colour("alarm-edge"), "NaN or infinite"));
    }
    if (this.hasFar) legend.append(element("span", {}, "arrows to distant uses appear with the box that is chosen"));
    for (const mark of legend.querySelectorAll("i")) {
      mark.style.backgroundColor = mark.dataset.fill;
      if (mark.dataset.edge) mark.style.borderColor = mark.dataset.edge;
    }
  }

  choose(item) {
    this.chosen = item;
    this.paint();
    for (const listener of this.listeners) listener();
  }

  toggle(group) {
    if (!(group instanceof Group)) return;
    if (group.open) this.close(group);
    else this.open(group);
  }

  close(group) {
    this.moved = true;
    group.open = false;
    if (this.chosen !== null && this.chosen !== group) {
      const outer = this.groups.ancestors(this.chosen).find((around) => !around.open);
      if (outer) this.chosen = outer;
    }
    this.show(group);
    say(`${group.label} closed`);
  }

  // Open a group; if too much would be visible, close the groups that were opened longest ago.
  open(group, moved = true) {
    this.moved = true;
    this.unfold([group]);
    this.show(moved ? group : null);
    say(`${group.label} opened: ${counted(group.members.length, "box")}`.replace("boxs", "boxes"));
  }

  unfold(groups) {
    for (const group of groups) {
      group.open = true;
      group.used = ++this.clock;
      for (const around of this.groups.ancestors(group)) around.used = ++this.clock;
    }
    const needed = new Set(groups.flatMap((group) => [group, ...this.groups.ancestors(group)]));
    const candidates = [...this.groups.all.values()].filter((group) => group.open && group.parent && !needed.has(group));
    candidates.sort((first, second) => first.used - second.used);
    for (const group of candidates) {
      if (this.groups.countVisible() <= MOST_VISIBLE) break;
      group.open = false;
    }
  }

  // Make an item visible, select it and centre it.
  reveal(item) {
    const closed = this.groups.ancestors(item).filter((group) => !group.open);
    this.chosen = item;
    if (closed.length) {
      this.unfold(closed.reverse());
      this.show();
    } else this.paint();
    for (const listener of this.listeners) listener();
    const shown = this.cy.getElementById(idOf(item));
    const zoom = Math.max(this.cy.zoom(), 0.8);
    this.moved = true;
    this.cy.stop();
    if (calm.matches) { this.cy.zoom(zoom); this.cy.center(shown); }
    else this.cy.animate({ zoom, center: { eles: shown }, duration: 220 });
  }

  openMore() {
    const closed = this.closed(this.groups.root);
    let left = 0;
    for (const group of closed) {
      if (this.groups.countVisible() + group.members.length > MOST_VISIBLE) left++;
      else { group.open = true; group.used = ++this.clock; }
    }
    this.show();
    this.fit();
    say(left ? `Opened what fits; ${counted(left, "group")} stay closed: too many boxes to take in at once.` : "Opened one level.");
  }

  closeAll() {
    for (const group of this.groups.all.values()) group.open = group === this.groups.root;
    if (this.chosen !== null) this.chosen = this.groups.ancestors(this.chosen).at(-1) ?? this.chosen;
    this.show();
    this.fit();
  }

  fit() {
    if (this.isEmpty()) return;
    this.moved = false;
    this.cy.fit(undefined, MARGIN);
    if (this.cy.zoom() > 1.2) { this.cy.zoom(1.2); this.cy.center(); }
  }

  zoom(factor) {
    this.moved = true;
    const { width, height } = this.cy.container().getBoundingClientRect();
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: { x: width / 2, y: height / 2 } });
  }

  // The next box in a direction from the selected box.
  step(direction) {
    const boxes = this.boxes.filter((box) => !box.isOpen);
    const own = this.boxes.find((box) => box.item === this.chosen);
    if (!own) return boxes[0]?.item ?? null;
    const node = this.cy.getElementById(own.id);
    let candidates;
    if (direction === "up") candidates = (own.isOpen ? node.descendants() : node).incomers("node");
    else if (direction === "down") candidates = (own.isOpen ? node.descendants() : node).outgoers("node");
    else {
      const side = direction === "left" ? -1 : 1;
      const beside = boxes.filter((box) => Math.abs(box.y - own.y) < 30 && Math.sign(box.x - own.x) === side);
      beside.sort((first, second) => Math.abs(first.x - own.x) - Math.abs(second.x - own.x));
      return beside[0]?.item ?? null;
    }
    const nearest = candidates.toArray().sort((first, second) =>
      Math.abs(first.position("x") - own.x) - Math.abs(second.position("x") - own.x))[0];
    return nearest ? this.itemOf(nearest.id()) : null;
  }
}
