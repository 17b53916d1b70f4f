import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type {
  AttachResult,
  AttachRequest,
  CommandRequest,
  CommandResult,
  JournalEntry,
  OutputStream,
} from '../../src/transport/remote-command.js';
import { openConnection, type SshConnection } from '../../src/transport/connection/ssh-connection.js';
import { startSshHosts } from './ssh-hosts.js';

/** Real host whose login user has an empty home. */
export interface JournalHost {
  home: string;
  address: string;
  port: number;
  connect(by?: { host: string; port: number }): Promise<SshConnection>;
  /**
   * Connects through a proxy. `cut` breaks the connection like a killed client, `stopRelay` freezes it like a stopped
   * one.
   */
  connectThroughRelay(): Promise<{ connection: SshConnection; cut: () => void; stopRelay: () => void }>;
  file(entry: JournalEntry, name: string): string;
  stop(): Promise<void>;
}

export async function startJournalHost(address: string, extraConfig = '', homeConfig = ''): Promise<JournalHost> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'runward-home-'));
  const hosts = await startSshHosts({
    addresses: [address],
    extraConfig: [homeConfig || `SetEnv HOME=${home}`, extraConfig].join('\n'),
  });
  const idOf = (flag: string) => Number(execFileSync('id', [flag, hosts.sshd.user], { encoding: 'utf8' }));
  if (process.getuid?.() === 0) await chown(home, idOf('-u'), idOf('-g'));
  const undo: (() => void)[] = [];

  const connect = async (by = { host: address, port: hosts.sshd.port }) => {
    const connection = await openConnection(hosts.target(by));
    undo.push(() => connection.end());
    return connection;
  };
  const connectThroughRelay = async () => {
    const sockets: net.Socket[] = [];
    const server = net.createServer((near) => {
      const far = net.connect(hosts.sshd.port, address);
      for (const socket of [near, far]) socket.on('error', () => undefined);
      sockets.push(near, far);
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const cut = () => sockets.forEach((socket) => socket.destroy());
    const stopRelay = () => {
      for (const socket of sockets) socket.unpipe().pause();
    };
    undo.push(() => (cut(), server.close()));
    const connection = await connect({ host: '127.0.0.1', port: (server.address() as net.AddressInfo).port });
    return { connection, cut, stopRelay };
  };
  return {
    home,
    address,
    port: hosts.sshd.port,
    connect,
    connectThroughRelay,
    file: ({ folderId, dispatchId }, name) => path.join(home, '.runward', folderId, `${dispatchId}.${name}`),
    stop: async () => {
      undo.forEach((each) => each());
      await hosts.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export const JOURNAL_OWNER = { installation: randomUUID(), incarnation: 1 };

/** Creates the dispatch of a new run, with changed fields. */
export function newEntry(changes: Partial<JournalEntry> = {}): JournalEntry {
  return {
    speaker: JOURNAL_OWNER,
    folderId: randomUUID(),
    dispatchId: randomUUID(),
    generation: 1,
    spoolBytes: 1024 * 1024,
    ...changes,
  };
}

/** Collects output. Tests can wait for a text in it. */
export class OutputCollector {
  private readonly pieces: Record<OutputStream, Buffer[]> = { stdout: [], stderr: [] };
  private readonly waiting = new Set<() => void>();

  readonly onOutput: CommandRequest['onOutput'] = (stream, bytes) => {
    this.pieces[stream].push(bytes);
    this.waiting.forEach((look) => look());
  };

  bytes(stream: OutputStream): Buffer {
    return Buffer.concat(this.pieces[stream]);
  }

  get stdout(): string {
    return this.bytes('stdout').toString();
  }

  get stderr(): string {
    return this.bytes('stderr').toString();
  }

  until(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.stdout.includes(text)) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }
}

export function evidence(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

export interface Seen {
  result: CommandResult;
  stdout: string;
  stderr: string;
}

export async function runJournaled(
  connection: SshConnection,
  script: string,
  journal: JournalEntry,
): Promise<Seen & { journaled: boolean }> {
  const output = new OutputCollector();
  const command = await connection.exec({ script, journal, onOutput: output.onOutput });
  const result = await command.result;
  return { result, journaled: command.journaled, stdout: output.stdout, stderr: output.stderr };
}

export async function attachToEnd(
  connection: SshConnection,
  journal: JournalEntry,
  changes: Partial<AttachRequest> = {},
): Promise<{ attached: AttachResult; seen?: Seen }> {
  const output = new OutputCollector();
  const attached = await connection.attach({ journal, onOutput: output.onOutput, ifAbsent: 'leave', ...changes });
  if (attached.kind !== 'attached') return { attached };
  const result = await attached.command.result;
  return { attached, seen: { result, stdout: output.stdout, stderr: output.stderr } };
}

/** Returns the text of a file; empty if the file is unreadable or a pipe, which would block the reader. */
export function readIfThere(file: string): string {
  try {
    return statSync(file).isFIFO() ? '' : readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
