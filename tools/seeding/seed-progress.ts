import type { SeedReporter } from './seed-tenant.js';

const REPORT_STEP_PERCENT = 10;

const count = (number: number): string => number.toLocaleString('en');
const seconds = (ms: number): string => `${Math.max(1, Math.round(ms / 1000))} s`;

export class SeedProgress implements SeedReporter {
  private begun = performance.now();
  private reportedPercent = 0;
  private stopped = false;

  private readonly runs: number;
  private readonly out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;

  constructor(runs: number, out: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>) {
    this.runs = runs;
    this.out = out;
  }

  tenant(name: string, login: { email: string; password: string } | null): void {
    this.begun = performance.now();
    if (!login) return void this.out.write(`Filling the tenant "${name}".\n`);
    this.out.write(
      `Tenant "${name}" was created. Sign in as ${login.email} with the password, shown this once: ${login.password}\n`,
    );
  }

  progress(done: number): boolean {
    const percent = Math.floor((100 * done) / this.runs);
    const elapsedMs = performance.now() - this.begun;
    const left = seconds((elapsedMs / done) * (this.runs - done));
    const line = `${count(done)} of ${count(this.runs)} runs (${percent} %) after ${seconds(elapsedMs)}, about ${left} left`;
    if (this.out.isTTY) this.out.write(`\r\x1b[2K${line}`);
    else if (percent >= this.reportedPercent + REPORT_STEP_PERCENT && done < this.runs) {
      this.reportedPercent = percent - (percent % REPORT_STEP_PERCENT);
      this.out.write(`${line}\n`);
    }
    return !this.stopped;
  }

  finish(done: number): void {
    const end = done < this.runs ? ' Stopped early; everything written is complete.' : '';
    const line = `${count(done)} runs in ${seconds(performance.now() - this.begun)}.${end}`;
    this.out.write(`${this.out.isTTY ? '\r\x1b[2K' : ''}${line}\n`);
  }

  /** Stores the current period, but no further one. */
  stop(): void {
    this.stopped = true;
  }
}
