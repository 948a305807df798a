// The drawing of a backward pass: which nodes have run, which one runs, and where its gradients go.
const WAITING = "waiting", RUNNING = "running", DONE = "done";
const MARKS = { [WAITING]: "", [RUNNING]: "\u25b6 ", [DONE]: "\u2713 " };

room.beside = 48; // for the marks

class SteppedDrawing extends Drawing {
  // `steps[at].node` is the node that runs in a step.
  constructor(nodes, steps) {
    super(nodes);
    this.steps = steps;
    this.stepOf = new Map(steps.map((step, at) => [step.node, at]));
    this.position = -1; // the step that is shown; -1 before the first one, as many as there are steps after the last one
  }

  style() {
    const flow = colour("flow");
    return [
      ...super.style(),
      { selector: "node.running", style: { "border-width": 3 } },
      { selector: "edge.flow", style: {
        width: 3, "line-color": flow, "source-arrow-color": flow, "source-arrow-shape": "triangle",
        "target-arrow-shape": "none", "z-index": 10, display: "element" } },
    ];
  }

  // The state of a node: the result has its gradient from the beginning.
  stateOf(node) {
    if (this.nodes.kind(node) === OUTPUT) return DONE;
    const at = this.stepOf.get(node);
    return at === undefined || at > this.position ? WAITING : at === this.position ? RUNNING : DONE;
  }

  // The state of a box: a group runs while a node in it does, and is done when all of them are.
  stateOfItem(item) {
    if (!(item instanceof Group)) return this.stateOf(item);
    let done = 0;
    for (let at = item.begin; at < item.end; at++) {
      const state = this.stateOf(this.groups.flat[at]);
      if (state === RUNNING) return RUNNING;
      if (state === DONE) done++;
    }
    return done === item.end - item.begin ? DONE : WAITING;
  }

  looks(item) {
    if (item === this.outputNode()) return super.looks(item, null);
    const state = this.stateOfItem(item);
    return { fill: colour(state), edge: colour(`${state}-edge`), words: colour(`on-${state}`) };
  }

  labelOf(box) {
    return (box.item === this.outputNode() ? "" : MARKS[this.stateOfItem(box.item)]) + super.labelOf(box);
  }

  outputNode() { return this.nodes.count - 1; }

  paint() {
    super.paint();
    this.cy.batch(() => {
      for (const box of this.boxes) {
        const shown = this.cy.getElementById(box.id), state = this.stateOfItem(box.item);
        shown.toggleClass("running", !box.isOpen && state === RUNNING);
        shown.data("label", this.labelOf(box));
      }
      this.cy.edges().removeClass("flow");
      const step = this.steps[this.position];
      if (!step) return;
      const running = this.boxOf(step.node);
      for (const [, target] of step.passes)
        this.cy.getElementById(`${this.boxOf(target)}>${running}`).addClass("flow");
    });
  }

  // The box that shows a node: its own, or that of the outermost closed group around it.
  boxOf(node) {
    const closed = this.groups.ancestors(node).findLast((group) => !group.open);
    return idOf(closed ?? node);
  }

  drawLegend() {
    const swatch = (state, words) => element("span", { class: "swatch" },
      element("i", { "data-fill": colour(state), "data-edge": colour(`${state}-edge`) }), MARKS[state] + words);
    const legend = byId("legend");
    legend.replaceChildren(swatch(WAITING, "waiting"), swatch(RUNNING, "running"), swatch(DONE, "done"),
      element("span", { class: "swatch" }, element("i", { "data-fill": colour("flow"), "data-edge": colour("flow") }), "gradients that are passed on"));
    for (const mark of legend.querySelectorAll("i")) {
      mark.style.backgroundColor = mark.dataset.fill;
      mark.style.borderColor = mark.dataset.edge;
    }
  }

  // A click on a box: the page decides what it means.
  choose(item) { this.onChoice?.(item); }

  goTo(position) {
    this.position = position;
    const step = this.steps[position];
    const closed = step ? this.groups.ancestors(step.node).filter((group) => !group.open) : [];
    if (closed.length) {
      this.unfold(closed.reverse());
      this.show();
      if (!this.moved) this.fit();
    } else this.paint();
    if (step) this.keepInView(this.cy.getElementById(idOf(step.node)));
  }

  // Move the drawing if a box is not wholly in the window. Its bounds are not asked for: those of labels are computed
  // with the next picture only, and an earlier question would leave them as they were before the label changed.
  keepInView(shown) {
    const { clientWidth, clientHeight } = this.cy.container();
    const { x, y } = shown.renderedPosition(), across = shown.renderedWidth() / 2, down = shown.renderedHeight() / 2;
    const isIn = x >= across && y >= down && x + across <= clientWidth && y + down <= clientHeight;
    if (isIn || this.isEmpty()) return;
    this.cy.stop();
    if (calm.matches) this.cy.center(shown);
    else this.cy.animate({ center: { eles: shown }, duration: 220 });
  }
}
