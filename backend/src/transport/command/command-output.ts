import { Handshake } from '../journal/handshake.js';
import { MarkFilter } from '../journal/turn-marks.js';
import { type Acknowledgement, AcknowledgementFilter, toStderrMark } from '../journal/start-acknowledgement.js';
import { type Deadline, scheduleDeadline } from '../listening-time.js';
import type { OutputStream, OutputHandler } from '../remote-command.js';
import type { CommandChannel } from './command-channel.js';
import { OutputTaskQueue } from './output-turns.js';

/** Wait for the mark on standard error after the acknowledgement, in ms. A host may withhold standard error. */
const STDERR_MARK_TIMEOUT_MS = 2_000;
const MAX_NOISE_LENGTH = 400;
const EMPTY_BUFFER = Buffer.alloc(0);

interface CommandOutputHooks {
  onLaunched(): void;
  /** @returns whether the command runs */
  answered(answer: Acknowledgement): boolean;
  begun(): void;
  onOutput: OutputHandler;
  /** Whether data before the command's own output is discarded. */
  hasOnlyOwnOutput: boolean;
  over(): boolean;
  changed(): void;
  failed(error: unknown): void;
}

/**
 * Parses the output of a command's channel. Detects the answers of launcher and host, and where the command's own
 * output starts on each stream.
 */
export class CommandOutput {
  /** Output of the host before the acknowledgement, for the error message if none arrives. */
  noise: Buffer = EMPTY_BUFFER;
  sent = false;
  /** Whether the input was closed without a command, so that an answer of the launcher is too late. */
  inputEnded = false;
  readonly turns: OutputTaskQueue;

  private readonly acknowledgement: AcknowledgementFilter;
  private readonly stderrMark: MarkFilter;
  /** Null: the launcher is warm and needs no handshake. */
  private readonly handshake: Handshake | null;
  private acknowledged = false;
  /** Whether the start of the command's own output is known, or Runward has stopped waiting for it. */
  private hasBegun = false;
  private stderrFinished = false;
  /** The command's own output that arrived before `hasBegun` was set. */
  private heldBytes: Record<OutputStream, Buffer> = { stdout: EMPTY_BUFFER, stderr: EMPTY_BUFFER };
  private markDeadline?: Deadline;

  constructor(
    private readonly channel: CommandChannel,
    nonce: string,
    private readonly hooks: CommandOutputHooks,
  ) {
    this.acknowledgement = new AcknowledgementFilter(nonce);
    this.stderrMark = new MarkFilter(toStderrMark(nonce), channel.warm);
    this.handshake = channel.warm ? null : new Handshake((text) => channel.write(text));
    this.turns = new OutputTaskQueue(channel, hooks);
    channel.on('data', (bytes: Buffer) => this.turns.runTask(() => this.onStdout(bytes)));
    channel.stderr.on('data', (bytes: Buffer) => this.turns.runTask(() => this.onStderr(bytes)));
    channel.once('end', () => this.turns.queueTask(() => this.deliver('stdout', this.takeHeldStdout()), true));
    channel.stderr.once('end', () => this.turns.queueTask(() => this.onStderrEnd(), true));
  }

  get hasGreeted(): boolean {
    return this.handshake?.hasLauncherGreeted ?? true;
  }

  end(): void {
    this.markDeadline?.cancel();
  }

  private onStdout(bytes: Buffer): void | Promise<void> {
    if (this.hasBegun) return this.deliver('stdout', bytes);
    if (this.acknowledged) return this.holdBack('stdout', bytes);
    if (this.handshake && !this.handshake.hasAnswered) return this.awaitLauncher(this.handshake, bytes);
    const answer = this.acknowledgement.push(bytes);
    this.rememberNoise(answer.before);
    const pending = this.deliver('stdout', answer.before);
    const continueOutput = () => {
      if (!this.hooks.answered(answer)) return;
      this.acknowledged = true;
      this.holdBack('stdout', answer.after);
      if (this.stderrMark.found || this.acknowledgement.merged || this.stderrFinished) return this.beginOutput();
      this.markDeadline = scheduleDeadline(STDERR_MARK_TIMEOUT_MS, () =>
        this.turns.queueTask(() => this.beginOutput()),
      );
    };
    return pending ? pending.then(continueOutput) : continueOutput();
  }

  private awaitLauncher(handshake: Handshake, bytes: Buffer): void | Promise<void> {
    const { before, after } = handshake.push(bytes);
    this.rememberNoise(before);
    const pending = this.deliver('stdout', before);
    if (!handshake.hasAnswered || this.inputEnded) return pending;
    const continueOutput = () => {
      this.hooks.onLaunched();
      return this.onStdout(after);
    };
    return pending ? pending.then(continueOutput) : continueOutput();
  }

  private takeHeldStdout(): Buffer {
    return this.sent ? this.acknowledgement.rest() : (this.handshake?.rest() ?? EMPTY_BUFFER);
  }

  private onStderr(bytes: Buffer): void | Promise<void> {
    const { before, after } = this.stderrMark.push(bytes);
    if (this.hasBegun) return this.deliver('stderr', before.length > 0 ? Buffer.concat([before, after]) : after);
    this.rememberNoise(before);
    const pending = this.deliver('stderr', before);
    const continueOutput = () => {
      this.holdBack('stderr', after);
      if (this.stderrMark.found && this.acknowledged) return this.beginOutput();
    };
    return pending ? pending.then(continueOutput) : continueOutput();
  }

  private onStderrEnd(): void | Promise<void> {
    this.stderrFinished = true;
    const pending = this.deliver('stderr', this.stderrMark.rest());
    if (!this.acknowledged) return pending;
    return pending ? pending.then(() => this.beginOutput()) : this.beginOutput();
  }

  private holdBack(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.heldBytes[stream] = Buffer.concat([this.heldBytes[stream], bytes]);
    (stream === 'stdout' ? this.channel : this.channel.stderr).pause();
  }

  private beginOutput(): void | Promise<void> {
    if (this.hasBegun || this.hooks.over()) return;
    this.markDeadline?.cancel();
    this.hasBegun = true;
    this.hooks.begun();
    const { stdout, stderr } = this.heldBytes;
    this.heldBytes = { stdout: EMPTY_BUFFER, stderr: EMPTY_BUFFER };
    const pending = this.deliver('stdout', stdout);
    if (pending) return pending.then(() => this.deliver('stderr', stderr));
    const last = this.deliver('stderr', stderr);
    if (last) return last;
    this.channel.resume();
    this.channel.stderr.resume();
  }

  private rememberNoise(bytes: Buffer): void {
    if (this.noise.length < MAX_NOISE_LENGTH)
      this.noise = Buffer.concat([this.noise, bytes.subarray(0, MAX_NOISE_LENGTH)]);
  }

  private deliver(stream: OutputStream, bytes: Buffer): void | Promise<void> {
    if (bytes.length === 0 || (this.hooks.hasOnlyOwnOutput && !this.hasBegun)) return;
    return this.hooks.onOutput(stream, bytes);
  }
}
