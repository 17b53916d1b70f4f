import { type ChannelMode, toNoLauncherResult, toCommandOutcome } from './channel-outcome.js';
import { type Exit, toExit } from './session-exit.js';
import type { CommandChannel } from './command-channel.js';
import type { MissingLauncherAnswer } from './launcher-fault.js';
import type { ExecHost } from './exec-channel.js';
import type { IdleShells } from './resident-shell.js';
import { toJournalRefusal } from '../journal/journal-answers.js';
import { type Deadline, scheduleDeadline, waitAtMost } from '../listening-time.js';
import type { CommandResult, OutputHandler, RemainingProcess, RunningCommand } from '../remote-command.js';
import {
  type CommandStart,
  endProcessesCommand,
  parseRemainingProcesses,
  listRemainingProcessesCommand,
} from './command-processes.js';
import { CommandOutput } from './command-output.js';
import { SilenceWatch } from './silence-watch.js';
import { formatEndpoint } from '../ssh-errors.js';
import type { Acknowledgement } from '../journal/start-acknowledgement.js';

export interface CommandHost extends ExecHost {
  shells: IdleShells;
  lastError(): string | undefined;
  /**
   * Runs a short shell text while a command runs, and returns the text's output. Rejects if the host allows no further
   * session.
   */
  runBeside(text: string, timeoutMs: number): Promise<string>;
}

const CLOSE_TIMEOUT_MS = 5_000;
/** Time in which the host must end a command after the grace period, in ms. */
const FORCED_END_TIMEOUT_MS = 12_000;
/** Time in which the host must list the processes that a command left behind, in ms. */
const LEFT_BEHIND_TIMEOUT_MS = 5_000;
/** Wait for last output of a host whose launcher did not answer, after its input was closed, in ms. */
const LAST_OUTPUT_WAIT_MS = 1_000;

export interface ChannelRequest {
  input(nonce: string): string;
  /** `attach`: data before the host's answer is not output. */
  mode: ChannelMode;
  onOutput: OutputHandler;
  onStarted?(): void;
  beforeSend?(): Promise<boolean>;
  dispatchId?: string;
  become?: string | null;
  execTimeoutMs?: number;
  signal?: AbortSignal;
}

export class ChannelCommand implements RunningCommand {
  pid: number | null = null;
  journaled = false;
  refusal?: string;
  /** Digits after the refusal code; `-`: none. */
  refusalDetail = '-';
  readonly started: Promise<boolean>;
  readonly result: Promise<CommandResult>;

  private readonly output: CommandOutput;
  private waitedMs: number | null = null;
  private asking: Promise<boolean> | null = null;
  private startDeadline: Deadline;
  private closeDeadline?: Deadline;
  private resolveStarted!: (started: boolean) => void;
  private resolveResult!: (result: CommandResult) => void;
  private rejectResult!: (error: unknown) => void;
  private readonly remoteClosed: Promise<void>;
  private startTime = '-';
  private exit?: Exit;
  /** Whether the exit status came from the shell that waited for the command, not only from the channel. */
  private exitReported = false;
  private channelClosed = false;
  private settled = false;
  private outputCutOff = false;
  private leftBehind: RemainingProcess[] = [];
  /**
   * Whether the host is still ending the processes of the command, so that its list of remaining processes is pending.
   */
  private ending = false;
  private notStopped: RemainingProcess[] = [];
  private readonly silenceWatch = new SilenceWatch(() => void this.cutOffOutput());

  constructor(
    private readonly host: CommandHost,
    private readonly channel: CommandChannel,
    private readonly nonce: string,
    private readonly request: ChannelRequest,
    private readonly startTimeoutMs: number,
  ) {
    this.started = new Promise((resolve) => (this.resolveStarted = resolve));
    this.result = new Promise((resolve, reject) => {
      this.resolveResult = resolve;
      this.rejectResult = reject;
    });
    // Prevents an unhandled rejection, which would end the process. Callers that await the result still get the error.
    this.result.catch(() => undefined);

    this.output = new CommandOutput(channel, nonce, {
      onLaunched: () => void this.send(),
      answered: (answer) => this.handleAcknowledgement(answer),
      begun: () => {
        request.onStarted?.();
        this.resolveStarted(true);
      },
      onOutput: (stream, bytes) => request.onOutput(stream, bytes),
      hasOnlyOwnOutput: request.mode === 'attach',
      over: () => this.settled,
      changed: () => {
        this.startSilenceWatch();
        this.finishIfDone();
      },
      failed: (error) => this.rejectWith(error),
    });
    const greetingTimeoutMs = Math.max(startTimeoutMs / 2, startTimeoutMs - LAST_OUTPUT_WAIT_MS);
    this.startDeadline = scheduleDeadline(greetingTimeoutMs, () => this.closeInputAfter(greetingTimeoutMs));
    request.signal?.addEventListener('abort', this.onAbort, { once: true });

    channel.on('ended', (code: number) => {
      this.exit = { code };
      this.exitReported = true;
      this.startSilenceWatch();
    });
    channel.on('exit', (code?: number | null, signal?: string) => {
      this.exit ??= toExit(code, signal);
      this.startSilenceWatch();
    });
    this.remoteClosed = new Promise((resolve) => {
      channel.on('close', (code?: number | null, signal?: string) => {
        // covers an 'exit' that was emitted before its listener was added
        this.exit ??= toExit(code, signal);
        this.channelClosed = true;
        resolve();
        // without an acknowledgement, the output has nothing to wait for
        if (this.pid === null) for (const stream of [channel, channel.stderr]) stream.resume();
        this.finishIfDone();
      });
    });
    channel.on('error', () => undefined); // a lost connection also emits 'close'
    if (channel.warm) void this.send();
  }

  private async send(): Promise<void> {
    this.startDeadline.cancel();
    try {
      this.asking = this.request.beforeSend?.() ?? null;
      const may = this.asking === null || (await this.asking);
      this.asking = null;
      if (this.settled) return;
      if (!may) return this.giveUpStart('was given up');
      this.output.sent = true;
      this.startDeadline = scheduleDeadline(this.startTimeoutMs, () =>
        this.giveUpStart('did not acknowledge the start of the command in time'),
      );
      this.channel.end(this.request.input(this.nonce));
    } catch (error) {
      this.asking = null;
      this.rejectResult(error);
      this.rejectWith(error);
    }
  }

  /**
   * Handles a launcher that has not answered. The way in which a program ends after its input was closed shows what
   * kind of program it is.
   */
  private closeInputAfter(waitedMs: number): void {
    if (this.settled || this.channelClosed) return;
    this.waitedMs = waitedMs;
    this.output.inputEnded = true;
    this.channel.end('');
    this.startDeadline = scheduleDeadline(LAST_OUTPUT_WAIT_MS, () =>
      this.settleResultOnce(() => this.resolveResult(this.toMissingLauncherResult())),
    );
  }

  private toMissingLauncherAnswer(): MissingLauncherAnswer {
    return { greeted: this.output.hasGreeted, waitedMs: this.waitedMs };
  }

  private toMissingLauncherResult(): CommandResult {
    return toNoLauncherResult(this.toMissingLauncherAnswer(), formatEndpoint(this.host), this.output.noise);
  }

  get hasExited(): boolean {
    return this.exit !== undefined && this.pid !== null;
  }

  private async cutOffOutput(): Promise<void> {
    if (this.outputCutOff) return;
    this.outputCutOff = true;
    if (this.pid !== null && this.request.dispatchId !== undefined)
      this.leftBehind =
        (await this.listRemainingProcesses(
          listRemainingProcessesCommand(this.toCommandStart(this.pid)),
          LEFT_BEHIND_TIMEOUT_MS,
        )) ?? [];
    this.scheduleClose();
  }

  async terminate(graceMs: number): Promise<void> {
    if (this.settled) return;
    const { pid } = this;
    if (pid === null) {
      this.giveUpStart('was asked to stop before it acknowledged the start of the command');
      return;
    }
    this.ending = true;
    const end = (ms: number) =>
      this.listRemainingProcesses(endProcessesCommand(this.toCommandStart(pid), ms), ms + FORCED_END_TIMEOUT_MS);
    let left = await end(graceMs);
    // null: the host allowed no further session; retries once, after a while
    if (left === null && !(await waitAtMost(graceMs, this.remoteClosed))) left = await end(0);
    this.notStopped = left ?? [];
    this.ending = false;
    this.finishIfDone();
    if (await waitAtMost(CLOSE_TIMEOUT_MS, this.remoteClosed)) return;
    this.scheduleClose();
  }

  private toCommandStart(pid: number): CommandStart {
    const { dispatchId, become = null } = this.request;
    return { pid, startTime: this.startTime, dispatchId, become, exited: this.exit !== undefined };
  }

  private async listRemainingProcesses(text: string, timeoutMs: number): Promise<RemainingProcess[] | null> {
    const answer = await this.host.runBeside(text, timeoutMs).catch(() => null);
    return answer === null ? null : parseRemainingProcesses(answer);
  }

  /** Call when output arrives, and when its processing starts or ends. */
  private startSilenceWatch(): void {
    if (this.exit && !this.channelClosed && !this.settled && !this.outputCutOff)
      this.silenceWatch.watch(this.output.turns.isBusy);
    else this.silenceWatch.end();
  }

  /** @returns whether the command runs */
  private handleAcknowledgement({ pid, state, startTime }: Acknowledgement): boolean {
    if (pid === undefined || this.settled) return false;
    if (pid === 0) {
      this.refusal = state ?? '';
      this.refusalDetail = startTime ?? '-';
      this.settleResultOnce(() => this.resolveResult({ kind: 'refused', ...toJournalRefusal(this.refusal ?? '') }));
      return false;
    }
    this.pid = pid;
    this.journaled = state === 'journal' || state === 'attached';
    this.startTime = startTime ?? '-';
    this.stopWaitingForStart();
    return true;
  }

  private readonly onAbort = () =>
    this.giveUpStart('was asked to stop before it acknowledged the start of the command');

  private giveUpStart(why: string): void {
    if (this.pid !== null || this.settled) return;
    if (!this.output.sent) {
      const message = `${formatEndpoint(this.host)} ${why}. Nothing of the command was sent.`;
      return this.settleResultOnce(() => this.resolveResult({ kind: 'refused', unsent: true, message }));
    }
    const message = `${formatEndpoint(this.host)} ${why}. Check on the host whether it runs before you start it again.`;
    this.settleResultOnce(() => this.resolveResult(this.toLostResult(message)));
  }

  private scheduleClose(): void {
    if (this.settled || this.channelClosed) return;
    this.channel.close();
    this.endForcibly();
  }

  private endForcibly(): void {
    this.closeDeadline?.cancel();
    this.closeDeadline = scheduleDeadline(CLOSE_TIMEOUT_MS, () => {
      // a slow consumer must not cause the loss of received output
      if (this.output.turns.isBusy || this.ending) this.endForcibly();
      else this.settleResultOnce(() => this.resolveResult(this.toResult()));
    });
  }

  private finishIfDone(): void {
    if (this.channelClosed && this.output.turns.isDone && !this.ending) {
      this.settleResultOnce(() => this.resolveResult(this.toResult()));
    }
  }

  private rejectWith(error: unknown): void {
    this.settleResultOnce(() => this.rejectResult(error));
  }

  private settleResultOnce(settleResult: () => void): void {
    if (this.settled) return;
    this.settled = true;
    this.stopWaitingForStart();
    this.silenceWatch.end();
    this.closeDeadline?.cancel();
    this.output.end();
    this.resolveStarted(this.pid !== null);
    // the answer of `beforeSend` must be stored before the result
    if (this.asking) void this.asking.then(settleResult, () => undefined);
    else settleResult();
    this.channel.close();
    this.channel.resume();
    this.channel.stderr.resume();
  }

  private stopWaitingForStart(): void {
    this.startDeadline.cancel();
    this.request.signal?.removeEventListener('abort', this.onAbort);
  }

  private toResult(): CommandResult {
    const { exit, exitReported, pid, journaled, outputCutOff, channelClosed, notStopped } = this;
    const { noise, sent } = this.output;
    const lastError = this.host.lastError();
    const { mode } = this.request;
    const unsent = sent ? null : this.toMissingLauncherAnswer();
    const seen = toCommandOutcome(
      {
        exit,
        exitReported,
        started: pid !== null,
        unsent,
        journaled,
        mode,
        noise,
        outputCutOff,
        outputCut: this.channel.cut ?? false,
        leftBehind: this.leftBehind,
        notStopped,
        channelClosed,
        lastError,
      },
      formatEndpoint(this.host),
    );
    return 'lost' in seen ? this.toLostResult(seen.lost) : seen;
  }

  private toLostResult(message: string): CommandResult {
    const started = this.pid !== null;
    return { kind: 'lost', started, journaled: started ? this.journaled : this.request.mode !== 'plain', message };
  }
}
