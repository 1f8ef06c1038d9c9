// Plays a recorded search: where it stands, and whether it runs.

export class Player {
  /** show(index) draws the search after so many steps; changed(playing) is called when it starts or stops. */
  constructor(replay, { speed, show, changed }) {
    Object.assign(this, { replay, speed, show, changed, index: 0, playing: false });
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.changed(false);
  }

  go(index) {
    this.index = Math.max(0, Math.min(index, this.replay.length));
    this.show(this.index);
  }

  get ended() {
    return this.index >= this.replay.length;
  }

  /** Until it is paused or at the end; from the beginning when it was there. */
  async play() {
    if (this.ended) this.go(0);
    this.playing = true;
    this.changed(true);
    let last = performance.now(), owed = 0;
    while (this.playing) {
      const now = await new Promise(requestAnimationFrame);
      owed += ((now - last) / 1000) * (this.speed() || 1000);
      last = now;
      const whole = Math.floor(owed);
      owed -= whole;
      if (this.playing && whole > 0) this.go(this.index + whole);
      if (this.ended) this.pause();
    }
  }
}
