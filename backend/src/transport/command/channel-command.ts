import { type ChannelMode, noLauncher, outcomeOf } from './channel-outcome.js';
import { type Exit, exitOf } from './session-exit.js';
import type { CommandChannel } from './command-channel.js';
import type { LauncherSilence } from './launcher-fault.js';
import type { ExecHost } from './exec-channel.js';
import type { IdleShells } from './idle-shells.js';
import { refusalOf } from '../journal/journal-answers.js';
import { type Deadline, deadlineIn, endsWithin } from '../listening-time.js';
import type { CommandResult, OutputStream, OutputTaker, ProcessLeft, RunningCommand } from '../remote-command.js';
import { type CommandStart, endCommandText, leftBehindIn, leftBehindText } from './command-processes.js';
import { SilenceWatch } from './silence-watch.js';
import { endpointOf } from '../ssh-errors.js';
import { Handshake } from '../journal/handshake.js';
import { MarkFilter } from '../journal/mark-filter.js';
import { type Acknowledgement, AcknowledgementFilter, stderrMarkOf } from '../journal/start-acknowledgement.js';

/** The connection that a command runs on. */
export interface CommandHost extends ExecHost {
  shells: IdleShells;
  /** The last error of the connection, for the message of a lost command. */
  lastError(): string | undefined;
  /** Runs a short text on the host while a command runs: what it wrote. Rejects if the host allows no further session. */
  runBeside(text: string, timeoutMs: number): Promise<string>;
}

/** After the acknowledgement: how long the mark on standard error may take, which a host can keep to itself. */
const STDERR_MARK_MS = 2_000;
const CLOSE_TIMEOUT_MS = 5_000;
/** How long the host may take to end a command beyond the grace that the command gets, in ms. */
const END_MS = 12_000;
/** How long the host may take to tell which processes a command has left behind, in ms. */
const LEFT_BEHIND_MS = 5_000;
const LONGEST_NOISE = 400;
/** After the input was ended for a host whose launcher did not answer: how long it may show what runs there, in ms. */
const LAST_WORDS_MS = 1_000;
const NOTHING = Buffer.alloc(0);

/** What goes over a channel, and who takes what comes back. */
export interface ChannelRequest {
  input(nonce: string): string;
  /** `attach`: nothing that came before the answer is output. */
  mode: ChannelMode;
  onOutput: OutputTaker;
  onStarted?(): void;
  /** As in `CommandRequest`. */
  beforeSend?(): Promise<boolean>;
  dispatchId?: string;
  become?: string | null;
  execTimeoutMs?: number;
  signal?: AbortSignal;
}

/** A command over a channel that stands: sends it, and tells what is seen of it. */
export class ChannelCommand implements RunningCommand {
  pid: number | null = null;
  journaled = false;
  /** The word that the host answered instead of starting or finding a command. */
  refusal?: string;
  /** What it added in digits; `-` for nothing. */
  refusalDetail = '-';
  readonly started: Promise<boolean>;
  readonly result: Promise<CommandResult>;

  private readonly acknowledgement: AcknowledgementFilter;
  private readonly stderrMark: MarkFilter;
  /** Null: the launcher has answered before. */
  private readonly handshake: Handshake | null;
  /** For how long the launcher was waited for before its input was ended, in ms. */
  private waitedMs: number | null = null;
  /** The question whether the command may be sent, while it is open. */
  private asking: Promise<boolean> | null = null;
  private sent = false;
  private startDeadline: Deadline;
  private markDeadline?: Deadline;
  private closeDeadline?: Deadline;
  private tellStarted!: (started: boolean) => void;
  private resolveResult!: (result: CommandResult) => void;
  private rejectResult!: (error: unknown) => void;
  private readonly remoteClosed: Promise<void>;
  /** What the host wrote before the acknowledgement, for the message if none comes. */
  private noise = Buffer.alloc(0);
  private startTime = '-';
  /** It is known where the command's own output begins, or no longer waited for. */
  private begun = false;
  private stderrOver = false;
  /** The command's own output from before that. */
  private held: Record<OutputStream, Buffer> = { stdout: NOTHING, stderr: NOTHING };
  private exit?: Exit;
  /** It is what the host's journal told, not only what became of the channel. */
  private exitTold = false;
  /** The piece of output that is being taken. */
  private taking?: Promise<void>;
  private openStreams = 2;
  private channelClosed = false;
  private settled = false;
  private outputCutOff = false;
  /** What the host tells of the processes that hold the output open. */
  private leftBehind: ProcessLeft[] = [];
  /** The host ends the processes of the command, and writes what is left of them. */
  private ending = false;
  private notStopped: ProcessLeft[] = [];
  private readonly silence = new SilenceWatch(() => void this.cutOutputOff());

  constructor(
    private readonly host: CommandHost,
    private readonly channel: CommandChannel,
    private readonly nonce: string,
    private readonly request: ChannelRequest,
    private readonly startTimeoutMs: number,
  ) {
    this.started = new Promise((resolve) => (this.tellStarted = resolve));
    this.result = new Promise((resolve, reject) => {
      this.resolveResult = resolve;
      this.rejectResult = reject;
    });
    this.result.catch(() => undefined); // whoever awaits it sees the error; nobody awaiting must not end the process

    this.acknowledgement = new AcknowledgementFilter(nonce);
    this.stderrMark = new MarkFilter(stderrMarkOf(nonce), channel.warm);
    this.handshake = channel.warm ? null : new Handshake((text) => channel.write(text));
    const greetedWithinMs = Math.max(startTimeoutMs / 2, startTimeoutMs - LAST_WORDS_MS);
    this.startDeadline = deadlineIn(greetedWithinMs, () => this.endInput(greetedWithinMs));
    request.signal?.addEventListener('abort', this.onAbort, { once: true });

    channel.on('ended', (code: number) => {
      this.exit = { code };
      this.exitTold = true;
      this.watchSilence();
    });
    channel.on('exit', (code?: number | null, signal?: string) => {
      this.exit ??= exitOf(code, signal);
      this.watchSilence();
    });
    this.remoteClosed = new Promise((resolve) => {
      channel.on('close', (code?: number | null, signal?: string) => {
        // tells it again, to those who came too late for 'exit'
        this.exit ??= exitOf(code, signal);
        this.channelClosed = true;
        resolve();
        // no acknowledgement comes any more that output would wait for
        if (this.pid === null) for (const stream of [channel, channel.stderr]) stream.resume();
        this.finishIfDone();
      });
    });
    channel.on('error', () => undefined); // an end of the connection shows as 'close'
    channel.on('data', (bytes: Buffer) => this.take(() => this.onStdout(bytes)));
    channel.stderr.on('data', (bytes: Buffer) => this.take(() => this.onStderr(bytes)));
    channel.once('end', () => this.inTurn(() => this.deliver('stdout', this.restOfStdout()), true));
    channel.stderr.once('end', () => this.inTurn(() => this.stderrEnded(), true));
    if (this.handshake === null) void this.send();
  }

  /** The launcher has answered. */
  private async send(): Promise<void> {
    this.startDeadline.cancel();
    try {
      this.asking = this.request.beforeSend?.() ?? null;
      const may = this.asking === null || (await this.asking);
      this.asking = null;
      if (this.settled) return;
      if (!may) return this.giveUpStart('was given up');
      this.sent = true;
      this.startDeadline = deadlineIn(this.startTimeoutMs, () =>
        this.giveUpStart('did not acknowledge the start of the command in time'),
      );
      this.channel.end(this.request.input(this.nonce));
    } catch (error) {
      this.asking = null;
      this.rejectResult(error);
      this.fail(error);
    }
  }

  /** Nothing of ours has answered. What a program does when its input ends shows what it is. */
  private endInput(waitedMs: number): void {
    if (this.settled || this.channelClosed) return;
    this.waitedMs = waitedMs;
    this.channel.end('');
    this.startDeadline = deadlineIn(LAST_WORDS_MS, () => this.settle(() => this.resolveResult(this.silentLauncher())));
  }

  private launcherSilence(): LauncherSilence {
    return { greeted: this.handshake?.greeted ?? true, waitedMs: this.waitedMs };
  }

  private silentLauncher(): CommandResult {
    return noLauncher(this.launcherSilence(), endpointOf(this.host), this.noise);
  }

  get exited(): boolean {
    return this.exit !== undefined && this.pid !== null;
  }

  private async cutOutputOff(): Promise<void> {
    if (this.outputCutOff) return;
    this.outputCutOff = true;
    if (this.pid !== null && this.request.dispatchId !== undefined)
      this.leftBehind = (await this.ask(leftBehindText(this.startOf(this.pid)), LEFT_BEHIND_MS)) ?? [];
    this.closeSoon();
  }

  async terminate(graceMs: number): Promise<void> {
    if (this.settled) return;
    const { pid } = this;
    if (pid === null) {
      this.giveUpStart('was told to stop before it acknowledged the start of the command');
      return;
    }
    this.ending = true;
    const end = (ms: number) => this.ask(endCommandText(this.startOf(pid), ms), ms + END_MS);
    let left = await end(graceMs);
    // the host took no further session: it may do so later
    if (left === null && !(await endsWithin(graceMs, this.remoteClosed))) left = await end(0);
    this.notStopped = left ?? [];
    this.ending = false;
    this.finishIfDone();
    if (await endsWithin(CLOSE_TIMEOUT_MS, this.remoteClosed)) return;
    this.closeSoon();
  }

  private startOf(pid: number): CommandStart {
    const { dispatchId, become = null } = this.request;
    return { pid, startTime: this.startTime, dispatchId, become, exited: this.exit !== undefined };
  }

  /** @returns null when the host could not be asked */
  private async ask(text: string, timeoutMs: number): Promise<ProcessLeft[] | null> {
    const answer = await this.host.runBeside(text, timeoutMs).catch(() => null);
    return answer === null ? null : leftBehindIn(answer);
  }

  /** Both streams stand still while a piece is being taken, so that pieces are taken one at a time and in order. */
  private take(work: () => void | Promise<void>): void {
    if (this.settled) return;
    try {
      const pending = work();
      if (pending) {
        this.channel.pause();
        this.channel.stderr.pause();
        this.taking = pending.then(
          () => this.taken(),
          (error: unknown) => this.fail(error),
        );
      }
      this.watchSilence();
    } catch (error) {
      this.fail(error);
    }
  }

  /** For what may come while a piece is still being taken: the end of a stream, or of a wait. */
  private inTurn(work: () => void | Promise<void>, streamEnded = false): void {
    void Promise.resolve(this.taking).then(() => {
      this.take(work);
      if (streamEnded) this.openStreams -= 1;
      this.finishIfDone();
    });
  }

  /** To be called whenever output came, or the taking of it began or ended. */
  private watchSilence(): void {
    if (this.exit && !this.channelClosed && !this.settled && !this.outputCutOff)
      this.silence.watch(this.taking !== undefined);
    else this.silence.end();
  }

  private taken(): void {
    this.taking = undefined;
    this.channel.resume();
    this.channel.stderr.resume();
    this.watchSilence();
    this.finishIfDone();
  }

  private onStdout(bytes: Buffer): void | Promise<void> {
    if (this.begun) return this.deliver('stdout', bytes);
    if (this.pid !== null) return this.hold('stdout', bytes);
    if (this.handshake && !this.handshake.answered) return this.awaitLauncher(this.handshake, bytes);
    const answer = this.acknowledgement.push(bytes);
    this.remember(answer.before);
    const pending = this.deliver('stdout', answer.before);
    const proceed = () => {
      if (!this.answered(answer)) return;
      this.hold('stdout', answer.after);
      if (this.stderrMark.found || this.acknowledgement.merged || this.stderrOver) return this.begin();
      this.markDeadline = deadlineIn(STDERR_MARK_MS, () => this.inTurn(() => this.begin()));
    };
    return pending ? pending.then(proceed) : proceed();
  }

  private awaitLauncher(handshake: Handshake, bytes: Buffer): void | Promise<void> {
    const { before, after } = handshake.push(bytes);
    this.remember(before);
    const pending = this.deliver('stdout', before);
    // an answer that comes when the input has ended is too late
    if (!handshake.answered || this.waitedMs !== null) return pending;
    const proceed = () => {
      void this.send();
      return this.onStdout(after);
    };
    return pending ? pending.then(proceed) : proceed();
  }

  private restOfStdout(): Buffer {
    return this.sent ? this.acknowledgement.rest() : (this.handshake?.rest() ?? NOTHING);
  }

  private onStderr(bytes: Buffer): void | Promise<void> {
    const { before, after } = this.stderrMark.push(bytes);
    if (this.begun) return this.deliver('stderr', before.length > 0 ? Buffer.concat([before, after]) : after);
    this.remember(before);
    const pending = this.deliver('stderr', before);
    const proceed = () => {
      this.hold('stderr', after);
      if (this.stderrMark.found && this.pid !== null) return this.begin();
    };
    return pending ? pending.then(proceed) : proceed();
  }

  private stderrEnded(): void | Promise<void> {
    this.stderrOver = true;
    const pending = this.deliver('stderr', this.stderrMark.rest());
    if (this.pid === null) return pending;
    return pending ? pending.then(() => this.begin()) : this.begin();
  }

  /** What is the command's own waits until the other stream is as far; its stream stands still meanwhile. */
  private hold(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.held[stream] = Buffer.concat([this.held[stream], bytes]);
    (stream === 'stdout' ? this.channel : this.channel.stderr).pause();
  }

  private begin(): void | Promise<void> {
    if (this.begun || this.settled) return;
    this.markDeadline?.cancel();
    this.begun = true;
    this.request.onStarted?.();
    this.tellStarted(true);
    const { stdout, stderr } = this.held;
    this.held = { stdout: NOTHING, stderr: NOTHING };
    const pending = this.deliver('stdout', stdout);
    if (pending) return pending.then(() => this.deliver('stderr', stderr));
    const last = this.deliver('stderr', stderr);
    if (last) return last;
    this.channel.resume();
    this.channel.stderr.resume();
  }

  private remember(bytes: Buffer): void {
    if (this.noise.length < LONGEST_NOISE) this.noise = Buffer.concat([this.noise, bytes.subarray(0, LONGEST_NOISE)]);
  }

  private deliver(stream: OutputStream, bytes: Buffer): void | Promise<void> {
    if (bytes.length === 0 || (this.request.mode === 'attach' && !this.begun)) return;
    return this.request.onOutput(stream, bytes);
  }

  /** Takes the host's answer. @returns whether the command runs */
  private answered({ pid, state, startTime }: Acknowledgement): boolean {
    if (pid === undefined || this.settled) return false;
    if (pid === 0) {
      this.refusal = state ?? '';
      this.refusalDetail = startTime ?? '-';
      this.settle(() => this.resolveResult({ kind: 'refused', ...refusalOf(this.refusal ?? '') }));
      return false;
    }
    this.pid = pid;
    this.journaled = state === 'journal' || state === 'attached';
    this.startTime = startTime ?? '-';
    this.stopWaitingForStart();
    return true;
  }

  private readonly onAbort = () => this.giveUpStart('was told to stop before it acknowledged the start of the command');

  private giveUpStart(why: string): void {
    if (this.pid !== null || this.settled) return;
    if (!this.sent) {
      const message = `${endpointOf(this.host)} ${why}: nothing of the command was sent.`;
      return this.settle(() => this.resolveResult({ kind: 'refused', unsent: true, message }));
    }
    const message = `${endpointOf(this.host)} ${why}. Look on the host whether it runs before you start it again.`;
    this.settle(() => this.resolveResult(this.lost(message)));
  }

  /** Closes the channel from our side, and does not wait for ever for the host to agree. */
  private closeSoon(): void {
    if (this.settled || this.channelClosed) return;
    this.channel.close();
    this.endAnyway();
  }

  private endAnyway(): void {
    this.closeDeadline?.cancel();
    this.closeDeadline = deadlineIn(CLOSE_TIMEOUT_MS, () => {
      // output that the host has sent is not thrown away because its taker is slow
      if (this.taking || this.ending) this.endAnyway();
      else this.settle(() => this.resolveResult(this.outcome()));
    });
  }

  private finishIfDone(): void {
    if (this.channelClosed && this.openStreams === 0 && !this.taking && !this.ending) {
      this.settle(() => this.resolveResult(this.outcome()));
    }
  }

  private fail(error: unknown): void {
    this.settle(() => this.rejectResult(error));
  }

  private settle(tell: () => void): void {
    if (this.settled) return;
    this.settled = true;
    this.stopWaitingForStart();
    this.silence.end();
    this.closeDeadline?.cancel();
    this.markDeadline?.cancel();
    this.tellStarted(this.pid !== null);
    // what was asked before the sending is stored before the result is
    if (this.asking) void this.asking.then(tell, () => undefined);
    else tell();
    this.channel.close();
    // whatever still arrives is thrown away
    this.channel.resume();
    this.channel.stderr.resume();
  }

  private stopWaitingForStart(): void {
    this.startDeadline.cancel();
    this.request.signal?.removeEventListener('abort', this.onAbort);
  }

  private outcome(): CommandResult {
    const { exit, exitTold, pid, journaled, noise, outputCutOff, channelClosed, notStopped } = this;
    const lastError = this.host.lastError();
    const { mode } = this.request;
    const unsent = this.sent ? null : this.launcherSilence();
    const seen = outcomeOf(
      {
        exit,
        exitTold,
        started: pid !== null,
        unsent,
        journaled,
        mode,
        noise,
        outputCutOff,
        leftBehind: this.leftBehind,
        notStopped,
        channelClosed,
        lastError,
      },
      endpointOf(this.host),
    );
    return 'lost' in seen ? this.lost(seen.lost) : seen;
  }

  private lost(message: string): CommandResult {
    const started = this.pid !== null;
    return { kind: 'lost', started, journaled: started ? this.journaled : this.request.mode !== 'plain', message };
  }
}
