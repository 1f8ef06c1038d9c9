// What all our canvases share: sharp on every screen, colours from the style sheet, drawn once for each frame.

/** Redraws on demand, when its size changes and when the page turns light or dark. */
export class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.pending = false;
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.prepare();
      this.paint(this.context, this.width, this.height);
    });
  }

  prepare() {
    const scale = window.devicePixelRatio || 1;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    const wide = Math.round(this.width * scale), high = Math.round(this.height * scale);
    if (this.canvas.width !== wide || this.canvas.height !== high) {
      this.canvas.width = wide;
      this.canvas.height = high;
    }
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, this.width, this.height);
    this.style = getComputedStyle(this.canvas);
  }

  colour(name) {
    return this.style.getPropertyValue("--" + name).trim();
  }

  path(points, closed) {
    const context = this.context;
    context.beginPath();
    points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    if (closed) context.closePath();
  }

  line(points, colour, width, closed = false) {
    const context = this.context;
    this.path(points, closed);
    context.strokeStyle = colour;
    context.lineWidth = width;
    context.stroke();
  }

  fill(points, colour) {
    this.path(points, true);
    this.context.fillStyle = colour;
    this.context.fill();
  }

  /** Runs what draws, with everything that pale. */
  faint(opacity, draw) {
    this.context.globalAlpha = opacity;
    draw();
    this.context.globalAlpha = 1;
  }
}
