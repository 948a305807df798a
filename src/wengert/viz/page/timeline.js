// The timeline of a profile, drawn by flame-chart-js; the table beside it has the same data as numbers.
const STEP = /^autograd::engine::evaluate_function: /;
const MOST_ROWS = 200;

class Timeline {
  constructor(raw, drawing) {
    this.drawing = drawing;
    this.threads = raw.threads.map((thread) => this.tree(thread));
    this.shown = null;
    this.showTotals();
    this.showEvent(null);
    themeListeners.push(() => { if (this.chart) this.draw(); });
    new ResizeObserver(() => this.show()).observe(byId("timeline-area"));
  }

  // Events are a flat list, each before the events within it.
  tree({ name: thread, events }) {
    const roots = [], open = [];
    for (const [title, depth, start, duration, sequence, shapes, bytes, flops, line] of events) {
      const whole = STRINGS[title], name = whole.replace(STEP, "").replace(/^aten::/, "");
      const event = { name, whole, start, duration, children: [], sequence, shapes: STRINGS[shapes], bytes, flops, line: STRINGS[line], inner: 0, thread: STRINGS[thread] };
      event.type = STEP.test(whole) || /Backward\d*$/.test(whole) ? "backward" : event.sequence >= 0 ? "forward" : "other";
      open.length = depth;
      const around = open[depth - 1];
      if (around) { around.children.push(event); around.inner += duration; event.around = around; }
      else roots.push(event);
      open.push(event);
    }
    return { name: STRINGS[thread], roots };
  }

  // Draw when the timeline first has a size: it is hidden behind the graph, or its frame is laid out later.
  draw() {
    const { FlameChartContainer, FlameChartPlugin, TimeGridPlugin, TimeframeSelectorPlugin, TogglePlugin } = flameChartJs;
    // The plugins listen to one another: ten threads would cause a warning about too many listeners.
    Object.getPrototypeOf(flameChartJs.FlameChartContainer).defaultMaxListeners = Infinity;
    const area = byId("timeline-area"), canvas = byId("timeline");
    const fresh = canvas.cloneNode(); // without the listeners of an earlier drawing
    canvas.replaceWith(fresh);
    fresh.width = area.clientWidth;
    fresh.height = this.height();
    const colors = Object.fromEntries(["forward", "backward", "other"].map((type) => [type, colour(`event-${type}`)]));
    const charts = this.threads.map(({ name, roots }) => new FlameChartPlugin({ name, data: roots, colors }));
    for (const chart of charts) chart.on("select", ({ node }) => {
      // Each chart reports its own selection only: an empty one does not clear the selection of another chart.
      if (node) this.showEvent(node.source);
      else if (this.shown?.thread === chart.name) this.showEvent(null);
    });
    const plugins = [new TimeGridPlugin()];
    charts.forEach((chart, at) => {
      if (charts.length > 1) plugins.push(new TogglePlugin(this.threads[at].name));
      plugins.push(chart);
    });
    plugins.unshift(new TimeframeSelectorPlugin({ flameChartNodes: this.threads.flatMap(({ roots }) => roots) }));
    const ground = colour("ground"), words = colour("words"), line = colour("line");
    this.chart?.hotkeys(false);
    const settings = {
      options: { timeUnits: "\u00b5s", hotkeys: { active: false } },
      styles: {
        main: { backgroundColor: ground, fontColor: colour("on-event"), font: "11px system-ui, sans-serif", blockHeight: 19, headerColor: colour("panel"), headerStrokeColor: line,
          tooltipBackgroundColor: colour("panel"), tooltipHeaderFontColor: words, tooltipBodyFontColor: colour("pale") },
        timeGrid: { color: line },
        timeGridPlugin: { font: "10px system-ui, sans-serif", fontColor: words },
        timeframeSelectorPlugin: { font: "9px system-ui, sans-serif", fontColor: words, backgroundColor: ground, overlayColor: colour("overlay"), graphStrokeColor: line, graphFillColor: colour("event-other"), bottomLineColor: line, knobColor: colour("pale"), knobStrokeColor: ground },
        togglePlugin: { fontColor: words, color: colour("panel"), strokeColor: line, triangleColor: words, dotsColor: colour("pale") },
      },
    };
    this.chart = new FlameChartContainer({ canvas: fresh, plugins, settings });
    this.chart.setSettings(settings); // the plugins ask for theirs only now
    for (const chart of charts) chart.initData(); // nor did they know how many events share a point on the screen
    fresh.addEventListener("focus", () => this.chart.hotkeys(true));
    fresh.addEventListener("blur", () => this.chart.hotkeys(false));
    this.chart.render();
  }

  show() {
    if (!byId("timeline-area").clientWidth) return;
    if (this.chart) this.resize();
    else this.draw();
  }

  // As high as its container, and higher for many threads; the container then scrolls.
  height() {
    return Math.max(byId("timeline-area").clientHeight, 90 + 90 * this.threads.length);
  }

  resize() {
    // The plugins listen to one another: ten threads would cause a warning about too many listeners.
    Object.getPrototypeOf(flameChartJs.FlameChartContainer).defaultMaxListeners = Infinity;
    const area = byId("timeline-area");
    this.chart.resize(area.clientWidth, this.height());
    this.chart.render();
  }

  showEvent(event) {
    const panel = byId("event");
    this.shown = event;
    if (!event) {
      panel.replaceChildren(heading("No event chosen", "timeline"), element("p", {}, "Choose an event. The wheel zooms, dragging moves; after a click the arrow keys do both."));
      return;
    }
    const node = event.sequence >= 0 && this.drawing ? this.nodeOf(event) : null;
    panel.replaceChildren(heading(event.whole, event.type), facts([
      ["thread", event.thread],
      ["begins after", readableTime(event.start)],
      ["takes", readableTime(event.duration)],
      ["of which itself", readableTime(Math.max(0, event.duration - event.inner))],
      ["sequence number", event.sequence >= 0 ? event.sequence : ""],
      ["inputs", event.shapes],
      ["memory", event.bytes ? `${event.bytes < 0 ? "\u2212" : "+"}${readableBytes(Math.abs(event.bytes))}` : ""],
      ["FLOP", event.flops ? readableCount(event.flops) : ""],
      ["line", event.line],
    ]));
    if (node !== null) panel.append(element("button", { type: "button", onclick: () => { chooseTab("graph"); this.drawing.reveal(node); } }, "Show in the graph"));
  }

  nodeOf(event) {
    const at = this.drawing.nodes.raw.sequence?.indexOf(event.sequence) ?? -1;
    return at < 0 ? null : at;
  }

  showTotals() {
    const totals = new Map();
    const waiting = this.threads.flatMap(({ roots }) => roots);
    let whole = 0;
    while (waiting.length) {
      const event = waiting.pop();
      const own = Math.max(0, event.duration - event.inner);
      const known = totals.get(event.whole) ?? { calls: 0, own: 0, total: 0, longest: event };
      known.calls++;
      known.own += own;
      known.total += event.duration;
      if (event.duration > known.longest.duration) known.longest = event;
      totals.set(event.whole, known);
      whole += own;
      for (const child of event.children) waiting.push(child);
    }
    const rows = [...totals].sort((first, second) => second[1].own - first[1].own).slice(0, MOST_ROWS);
    const table = byId("totals");
    table.tHead.replaceChildren(element("tr", {}, ...["operator", "calls", "self", "self %", "total"].map((words, at) =>
      element("th", { scope: "col", class: at ? "number" : "" }, words))));
    table.tBodies[0].replaceChildren(...rows.map(([name, { calls, own, total, longest }]) => element("tr", {},
      element("th", { scope: "row" }, element("button", { type: "button", class: "link", title: "the longest of them", onclick: () => this.goTo(longest) }, name)),
      ...[readableCount(calls), readableTime(own), `${(100 * own / (whole || 1)).toFixed(1)} %`, readableTime(total)].map((words) =>
        element("td", { class: "number" }, words)))));
  }

  goTo(event) {
    this.showEvent(event);
    const room = Math.max(event.duration, 1);
    this.chart?.setZoom(Math.max(0, event.start - room), event.start + event.duration + room);
  }
}
