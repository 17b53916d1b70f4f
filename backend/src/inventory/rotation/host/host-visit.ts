import type { ConnectionOptions, SshConnection, SshTarget } from '../../../transport/connection/ssh-connection.js';
import { openConnection } from '../../../transport/connection/ssh-connection.js';
import { type JumpHop, openJumpRoute } from '../../../transport/connection/jump-route.js';
import { SshError } from '../../../transport/ssh-errors.js';
import { parseAuthorizedKey, findKeyLines, createMissingLines } from './authorized-keys.js';
import { editAuthorizedKeys, readAuthorizedKeys } from './host-file.js';
import {
  createKeyNotInFileFault,
  createNewKeyRefusedFault,
  createNotEditedFault,
  createOldKeyAcceptedFault,
} from './rotation-fault.js';

export interface LoginKey {
  publicKey: string;
  privateKey: string;
}

export interface VisitedHost extends Omit<SshTarget, 'privateKey'> {
  hops: readonly JumpHop[];
  oldKey: LoginKey;
  newKey: LoginKey;
}

const CONNECTION_TIMEOUTS = { connectTimeoutMs: 5_000, handshakeTimeoutMs: 15_000 };
/** Maximum number of attempts if others change the file in between, for example ten servers that share it. */
const MAX_ATTEMPTS = 30;

/** Key rotation on one host. Each step depends only on the current state of the host, so any worker can repeat it. */
export class HostVisit {
  constructor(
    private readonly host: VisitedHost,
    private readonly options: ConnectionOptions,
  ) {}

  /**
   * Adds the new key to the host, with the options of the old key. The old key stays.
   * @throws RotationFault, SshError, and errors of `options.admit`
   */
  async installKeyLine(): Promise<void> {
    const { oldKey, newKey } = this.host;
    const { connection, by } = await this.signIn(oldKey, newKey);
    try {
      // The host already accepts the new key, for example because another server shares its file.
      if (by === newKey) return;
      for (let look = 1; ; look += 1) {
        const file = await readAuthorizedKeys(connection);
        if (!file || findKeyLines(file.bytes, parseAuthorizedKey(oldKey.publicKey)).length === 0)
          throw createKeyNotInFileFault();
        const append = createMissingLines(file.bytes, parseAuthorizedKey(oldKey.publicKey), newKey.publicKey);
        if (append === null || (await editAuthorizedKeys(connection, file, { append }))) return;
        if (look === MAX_ATTEMPTS) throw createNotEditedFault('changed_meanwhile');
      }
    } finally {
      connection.end();
    }
  }

  /** @throws RotationFault `new_key_refused`; SshError */
  async verifyNewKey(): Promise<void> {
    try {
      (await this.openConnectionWith(this.host.newKey)).end();
    } catch (error) {
      throw isLoginRefusal(error) ? createNewKeyRefusedFault(error) : error;
    }
  }

  /**
   * Removes the old key from the host. Signs in with the new key to do so.
   * @throws RotationFault, SshError
   */
  async removeKeyLine(): Promise<void> {
    const { oldKey, newKey } = this.host;
    const { connection, by } = await this.signIn(newKey, oldKey);
    if (by === oldKey) {
      // The host refused the new key because an older file was restored: install it again.
      connection.end();
      await this.installKeyLine();
      await this.verifyNewKey();
      return this.removeKeyLine();
    }
    try {
      for (let look = 1; ; look += 1) {
        const file = await readAuthorizedKeys(connection);
        const lines = file ? findKeyLines(file.bytes, parseAuthorizedKey(oldKey.publicKey)) : [];
        if (!file || lines.length === 0) break;
        if (await editAuthorizedKeys(connection, file, { without: lines.map(({ number }) => number) })) break;
        if (look === MAX_ATTEMPTS) throw createNotEditedFault('changed_meanwhile');
      }
    } finally {
      connection.end();
    }
    if (await this.acceptsKey(oldKey)) throw createOldKeyAcceptedFault();
  }

  /**
   * Signs in with the first key, or with the second one if the host refuses the first. @throws SshError of the first
   * key if both are refused
   */
  private async signIn(first: LoginKey, second: LoginKey): Promise<{ connection: SshConnection; by: LoginKey }> {
    try {
      return { connection: await this.openConnectionWith(first), by: first };
    } catch (error) {
      if (!isLoginRefusal(error)) throw error;
      return {
        connection: await this.openConnectionWith(second).catch((other: unknown) => {
          throw isLoginRefusal(other) ? error : other;
        }),
        by: second,
      };
    }
  }

  private async acceptsKey(key: LoginKey): Promise<boolean> {
    try {
      (await this.openConnectionWith(key)).end();
      return true;
    } catch (error) {
      if (isLoginRefusal(error)) return false;
      throw error;
    }
  }

  private async openConnectionWith({ privateKey }: LoginKey): Promise<SshConnection> {
    const { hops, oldKey: _, newKey: __, ...host } = this.host;
    const { signal, refused } = this.options;
    const route = await openJumpRoute(hops, { ...CONNECTION_TIMEOUTS, signal, refused });
    try {
      const connection = await openConnection(
        { ...host, privateKey },
        { ...CONNECTION_TIMEOUTS, ...this.options, via: route.via },
      );
      void connection.closed.then(() => route.end());
      return connection;
    } catch (error) {
      route.end();
      throw error;
    }
  }
}

const isLoginRefusal = (error: unknown): error is SshError =>
  error instanceof SshError && error.code === 'login_refused';
