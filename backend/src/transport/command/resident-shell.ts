import { Readable } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { type Deadline, scheduleDeadline, waitAtMost } from '../listening-time.js';
import { type ShellTurnMark, TurnMarkFilter } from '../journal/turn-marks.js';
import type { OutputStream } from '../remote-command.js';
import type { CommandChannel } from './command-channel.js';

/**
 * Wait for the end mark on standard error after the end mark on standard output, in ms. A host may withhold standard
 * error.
 */
const STDERR_END_TIMEOUT_MS = 2_000;

interface ShellEvents {
  free(shell: ResidentShell): void;
  /**
   * Called when a process continues to write output after its command has ended. The shell waits for that output and
   * must be ended.
   */
  onStuck(shellId: number): void;
}

/** Shell on a host that runs commands with a journal one after the other, over one channel (`JOURNAL_START_COMMAND`). */
export class ResidentShell {
  readonly closed: Promise<void>;
  private turn: ShellCommand | null = null;
  private turns = 0;
  private over = false;

  constructor(
    private readonly channel: ClientChannel,
    readonly folderId: string,
    private readonly events: ShellEvents,
  ) {
    channel.on('error', () => undefined);
    channel.on('data', (bytes: Buffer) => this.onShellOutput('stdout', bytes));
    channel.stderr.on('data', (bytes: Buffer) => this.onShellOutput('stderr', bytes));
    channel.on('exit', (code?: number | null, signal?: string) => {
      this.turn?.emit('exit', code, signal);
      channel.end(); // some servers close the channel only after the end of the input
    });
    this.closed = new Promise((resolve) => {
      channel.on('close', (code?: number | null, signal?: string) => {
        this.over = true;
        this.turn?.channelClosed((channel as CommandChannel).cut ?? false, code, signal);
        this.turn = null;
        resolve();
      });
    });
  }

  get isOpen(): boolean {
    return !this.over;
  }

  /** Returns a channel for the next command. Call only while no command runs. */
  begin(nonce: string): CommandChannel {
    this.turns += 1;
    const turn = new ShellCommand(nonce, this.turns > 1, {
      send: (input) => this.channel.write(input),
      endInput: () => this.channel.end(),
      resumeStream: (stream) => this.getStream(stream).resume(),
      hold: (stream) => this.getStream(stream).pause(),
      abandon: (shellId) => {
        this.close();
        if (shellId !== null) this.events.onStuck(shellId);
      },
      finished: (isClean) => this.onCommandFinished(isClean),
    });
    this.turn = turn;
    return turn;
  }

  /** Sends the last input, which replaces the shell, and closes the input. */
  endWithInput(input: string): void {
    this.channel.end(input);
  }

  close(): void {
    this.over = true;
    this.channel.close();
    // the channel ends only after all received data was read
    this.channel.resume();
    this.channel.stderr.resume();
  }

  private getStream(stream: OutputStream): Readable {
    return stream === 'stdout' ? this.channel : this.channel.stderr;
  }

  private onShellOutput(stream: OutputStream, bytes: Buffer): void {
    if (this.turn) this.turn.receive(stream, bytes);
    // Nothing should write between two commands, and the next command must not get such output.
    else if (!this.over) this.close();
  }

  /** @returns true if the command ends now, false if it ends with the channel */
  private onCommandFinished(isClean: boolean): boolean {
    if (!isClean || this.over) return false;
    this.turn = null;
    this.channel.resume();
    this.channel.stderr.resume();
    this.events.free(this);
    return true;
  }
}

interface ShellControls {
  send(input: string): void;
  endInput(): void;
  resumeStream(stream: OutputStream): void;
  hold(stream: OutputStream): void;
  /** @param shellId process ID of a shell that waits for more output of an ended command; null: none */
  abandon(shellId: number | null): void;
  finished(isClean: boolean): boolean;
}

class ShellCommand extends Readable implements CommandChannel {
  readonly stderr: Readable;
  private readonly filters: Record<OutputStream, TurnMarkFilter>;
  private readonly finishedStreams = new Set<OutputStream>();
  private stderrSeen: boolean;
  private shellId: number | null = null;
  private stderrDeadline?: Deadline;
  cut = false;
  private complete = false;
  private over = false;

  /** @param warm whether both streams of the shell have worked, and the shell has printed nothing since */
  constructor(
    nonce: string,
    readonly warm: boolean,
    private readonly shell: ShellControls,
  ) {
    const streamOptions = { autoDestroy: false, emitClose: false };
    super({ ...streamOptions, read: () => this.requestOutput('stdout') });
    this.stderr = new Readable({ ...streamOptions, read: () => this.requestOutput('stderr') });
    this.stderrSeen = warm;
    this.filters = { stdout: new TurnMarkFilter(nonce), stderr: new TurnMarkFilter(nonce) };
  }

  write(text: string): void {
    this.shell.send(text);
  }

  end(input: string): void {
    if (input === '') this.shell.endInput();
    else this.shell.send(input);
  }

  close(): void {
    this.stderrDeadline?.cancel();
    if (!this.over && !this.complete) this.shell.abandon(this.shellId);
  }

  receive(stream: OutputStream, bytes: Buffer): void {
    if (this.complete) return;
    if (stream === 'stderr') this.stderrSeen = true;
    const { output, marks } = this.filters[stream].push(bytes);
    this.pushOutput(stream, output);
    for (const mark of marks) this.applyMark(mark);
  }

  channelClosed(cut: boolean, code?: number | null, signal?: string): void {
    if (this.over) return;
    this.over = true;
    this.cut = cut && !this.complete;
    this.endStreams();
    this.emit('close', code, signal);
  }

  private requestOutput(stream: OutputStream): void {
    if (!this.over && !this.complete) this.shell.resumeStream(stream);
  }

  private pushOutput(stream: OutputStream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    const taken = (stream === 'stdout' ? this : this.stderr).push(bytes);
    if (!taken) this.shell.hold(stream);
  }

  private applyMark(mark: ShellTurnMark): void {
    if ('exitCode' in mark) {
      this.shellId = mark.shellId;
      this.emit('ended', mark.exitCode);
      return;
    }
    this.finishedStreams.add(mark.over);
    if (this.finishedStreams.size === 2) this.finish(true);
    // If standard error was silent so far, the host may not deliver its mark either: wait only for a time.
    else if (mark.over === 'stdout' && !this.stderrSeen)
      this.stderrDeadline = scheduleDeadline(STDERR_END_TIMEOUT_MS, () => this.finish(false));
  }

  private finish(isClean: boolean): void {
    if (this.complete) return;
    this.stderrDeadline?.cancel();
    this.endStreams();
    if (this.over || !this.shell.finished(isClean)) return this.shell.abandon(null);
    this.over = true;
    this.emit('close');
  }

  private endStreams(): void {
    if (this.complete) return;
    this.pushOutput('stdout', this.filters.stdout.rest());
    this.pushOutput('stderr', this.filters.stderr.rest());
    this.complete = true;
    this.push(null);
    this.stderr.push(null);
  }
}

/**
 * Idle time after which a shell is closed, in ms. A login script that changes on the host takes effect after this time
 * at the latest.
 */
const IDLE_MS = 10_000;
const CLOSE_TIMEOUT_MS = 5_000;

/** Keeps at most one idle shell per connection, for the next command of the same run. */
export class IdleShells {
  private idle: { shell: ResidentShell; deadline: Deadline } | null = null;

  keepShell(shell: ResidentShell): void {
    this.closeAllShells();
    const idle = { shell, deadline: scheduleDeadline(IDLE_MS, () => this.idle === idle && this.closeAllShells()) };
    this.idle = idle;
    void shell.closed.then(() => {
      if (this.idle === idle) this.takeOldestShell();
    });
  }

  takeShellOfRun(folderId: string): ResidentShell | null {
    if (this.idle?.shell.folderId !== folderId) return null;
    const shell = this.takeOldestShell();
    return shell?.isOpen ? shell : null;
  }

  /** Closes the idle shell to free its session, because a host may allow few sessions. */
  async closeOneShell(): Promise<void> {
    const shell = this.takeOldestShell();
    shell?.close();
    if (shell) await waitAtMost(CLOSE_TIMEOUT_MS, shell.closed);
  }

  closeAllShells(): void {
    this.takeOldestShell()?.close();
  }

  private takeOldestShell(): ResidentShell | null {
    const { idle } = this;
    this.idle = null;
    idle?.deadline.cancel();
    return idle?.shell ?? null;
  }
}
