import { Handshake } from '../journal/handshake.js';
import { MarkFilter } from '../journal/mark-filter.js';
import { type Acknowledgement, AcknowledgementFilter, stderrMarkOf } from '../journal/start-acknowledgement.js';
import { type Deadline, deadlineIn } from '../listening-time.js';
import type { OutputStream, OutputHandler } from '../remote-command.js';
import type { CommandChannel } from './command-channel.js';
import { OutputTurns } from './output-turns.js';

/** Wait for the mark on standard error after the acknowledgement, in ms. A host may withhold standard error. */
const STDERR_MARK_MS = 2_000;
const MAX_NOISE_LENGTH = 400;
const NOTHING = Buffer.alloc(0);

interface OwnOutputHooks {
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
export class OwnOutput {
  /** Output of the host before the acknowledgement, for the error message if none arrives. */
  noise: Buffer = NOTHING;
  sent = false;
  /** Whether the input was closed without a command, so that an answer of the launcher is too late. */
  inputEnded = false;
  readonly turns: OutputTurns;

  private readonly acknowledgement: AcknowledgementFilter;
  private readonly stderrMark: MarkFilter;
  /** Null: the launcher is warm and needs no handshake. */
  private readonly handshake: Handshake | null;
  private acknowledged = false;
  /** Whether the start of the command's own output is known, or Runward has stopped waiting for it. */
  private hasBegun = false;
  private stderrFinished = false;
  /** The command's own output that arrived before `hasBegun` was set. */
  private heldBytes: Record<OutputStream, Buffer> = { stdout: NOTHING, stderr: NOTHING };
  private markDeadline?: Deadline;

  constructor(
    private readonly channel: CommandChannel,
    nonce: string,
    private readonly hooks: OwnOutputHooks,
  ) {
    this.acknowledgement = new AcknowledgementFilter(nonce);
    this.stderrMark = new MarkFilter(stderrMarkOf(nonce), channel.warm);
    this.handshake = channel.warm ? null : new Handshake((text) => channel.write(text));
    this.turns = new OutputTurns(channel, hooks);
    channel.on('data', (bytes: Buffer) => this.turns.take(() => this.onStdout(bytes)));
    channel.stderr.on('data', (bytes: Buffer) => this.turns.take(() => this.onStderr(bytes)));
    channel.once('end', () => this.turns.inTurn(() => this.deliver('stdout', this.restOfStdout()), true));
    channel.stderr.once('end', () => this.turns.inTurn(() => this.stderrEnded(), true));
  }

  get greeted(): boolean {
    return this.handshake?.greeted ?? true;
  }

  end(): void {
    this.markDeadline?.cancel();
  }

  private onStdout(bytes: Buffer): void | Promise<void> {
    if (this.hasBegun) return this.deliver('stdout', bytes);
    if (this.acknowledged) return this.hold('stdout', bytes);
    if (this.handshake && !this.handshake.answered) return this.awaitLauncher(this.handshake, bytes);
    const answer = this.acknowledgement.push(bytes);
    this.remember(answer.before);
    const pending = this.deliver('stdout', answer.before);
    const continueOutput = () => {
      if (!this.hooks.answered(answer)) return;
      this.acknowledged = true;
      this.hold('stdout', answer.after);
      if (this.stderrMark.found || this.acknowledgement.merged || this.stderrFinished) return this.begin();
      this.markDeadline = deadlineIn(STDERR_MARK_MS, () => this.turns.inTurn(() => this.begin()));
    };
    return pending ? pending.then(continueOutput) : continueOutput();
  }

  private awaitLauncher(handshake: Handshake, bytes: Buffer): void | Promise<void> {
    const { before, after } = handshake.push(bytes);
    this.remember(before);
    const pending = this.deliver('stdout', before);
    if (!handshake.answered || this.inputEnded) return pending;
    const continueOutput = () => {
      this.hooks.onLaunched();
      return this.onStdout(after);
    };
    return pending ? pending.then(continueOutput) : continueOutput();
  }

  private restOfStdout(): Buffer {
    return this.sent ? this.acknowledgement.rest() : (this.handshake?.rest() ?? NOTHING);
  }

  private onStderr(bytes: Buffer): void | Promise<void> {
    const { before, after } = this.stderrMark.push(bytes);
    if (this.hasBegun) return this.deliver('stderr', before.length > 0 ? Buffer.concat([before, after]) : after);
    this.remember(before);
    const pending = this.deliver('stderr', before);
    const continueOutput = () => {
      this.hold('stderr', after);
      if (this.stderrMark.found && this.acknowledged) return this.begin();
    };
    return pending ? pending.then(continueOutput) : continueOutput();
  }

  private stderrEnded(): void | Promise<void> {
    this.stderrFinished = true;
    const pending = this.deliver('stderr', this.stderrMark.rest());
    if (!this.acknowledged) return pending;
    return pending ? pending.then(() => this.begin()) : this.begin();
  }

  private hold(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.heldBytes[stream] = Buffer.concat([this.heldBytes[stream], bytes]);
    (stream === 'stdout' ? this.channel : this.channel.stderr).pause();
  }

  private begin(): void | Promise<void> {
    if (this.hasBegun || this.hooks.over()) return;
    this.markDeadline?.cancel();
    this.hasBegun = true;
    this.hooks.begun();
    const { stdout, stderr } = this.heldBytes;
    this.heldBytes = { stdout: NOTHING, stderr: NOTHING };
    const pending = this.deliver('stdout', stdout);
    if (pending) return pending.then(() => this.deliver('stderr', stderr));
    const last = this.deliver('stderr', stderr);
    if (last) return last;
    this.channel.resume();
    this.channel.stderr.resume();
  }

  private remember(bytes: Buffer): void {
    if (this.noise.length < MAX_NOISE_LENGTH)
      this.noise = Buffer.concat([this.noise, bytes.subarray(0, MAX_NOISE_LENGTH)]);
  }

  private deliver(stream: OutputStream, bytes: Buffer): void | Promise<void> {
    if (bytes.length === 0 || (this.hooks.hasOnlyOwnOutput && !this.hasBegun)) return;
    return this.hooks.onOutput(stream, bytes);
  }
}
