import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict } from '../../common/errors/problem.js';
import { requireVersion } from '../../common/http/etag.js';
import {
  filterAuthorities,
  filterHostKeys,
  type PinnedKey,
  getPinnedKeys,
  haveSamePins,
  toStoredPins,
} from '../../transport/keys/pinned-key.js';
import { getStateAfterCheck, UNCHECKED_STATE } from '../fields/check-state.js';
import { listKnownKeys, parseRequestedPins } from '../fields/requested-pins.js';
import type { PinnedHow, Server, ServerCheck } from '../fields/server.entity.js';
import { ServerLookup } from '../server-lookup.js';
import type { AcceptHostKeyRequest, SetHostKeysRequest, ShareHostKeyRequest } from '../servers.dto.js';
import { ServerChanges } from '../server-changes.js';
import { ServerViews } from '../server-views.js';
import type { ServerView } from '../servers.view.js';
import { type PinListView, toPinView } from './host-keys.view.js';
import { readPinsOfServer } from './pin-history.js';
import { requireAdminToConfirm, HostClaims } from '../machines/host-claims.js';
import { toHostClaim, getNewPins } from '../machines/host-collisions.js';
import { ServerMachines } from '../machines/server-machines.js';
import { SharedHostKeys } from '../machines/same-host-keys.js';

@Injectable()
export class HostKeyTrust {
  constructor(
    private readonly units: UnitOfWork,
    private readonly servers: ServerLookup,
    private readonly writer: ServerChanges,
    private readonly machines: ServerMachines,
    private readonly claims: HostClaims,
    private readonly sharedKeys: SharedHostKeys,
    private readonly views: ServerViews,
  ) {}

  /** @throws Problem 404 */
  listPins(caller: Principal, id: string): Promise<PinListView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.getVisible(tx, caller, id);
      return { items: (await readPinsOfServer(tx, caller.tenantId, id)).map(toPinView) };
    });
  }

  /**
   * Replaces all pins with these keys.
   * @throws Problem 400, 404; 403 `grant_required`; 409 `protected_host`, `host_proved_elsewhere`; 412
   */
  setHostKeys(caller: Principal, id: string, request: SetHostKeysRequest, version: number | null): Promise<ServerView> {
    requireAdminToConfirm(caller, request.confirmHosts);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.requireWritable(tx, caller, id);
      const server = await this.servers.getLocked(tx, caller, id);
      requireVersion(server, version);
      const pins = parseRequestedPins(request, listKnownKeys(server)) ?? [];
      if (haveSamePins(getPinnedKeys(server), pins)) return this.views.loadView(tx, server);
      await this.machines.requireOwnKeys(tx, caller, server, pins);
      const after = await this.writer.saveChange(
        tx,
        caller,
        server,
        {
          ...toStoredPins(pins),
          pinnedBy: caller.name,
          pinnedById: caller.userId,
          pinnedHow: 'set' satisfies PinnedHow,
          ...UNCHECKED_STATE,
          lastReachedAddress: null,
        },
        'server.set_host_keys',
      );
      await this.settleHostClaims(tx, caller, server, pins, request.confirmHosts);
      return this.views.addProtection(tx, caller.tenantId, after);
    });
  }

  /**
   * Pins the host key that the host showed last. The fingerprint must match that key. Removes the previous pins,
   * because the host showed none of them; certificate authorities stay.
   * @throws Problem 409 `host_key_not_seen`, `protected_host`, `host_proved_elsewhere`
   */
  acceptSeenHostKey(
    caller: Principal,
    id: string,
    { fingerprint, confirmHosts }: AcceptHostKeyRequest,
    version: number | null,
  ): Promise<ServerView> {
    requireAdminToConfirm(caller, confirmHosts);
    return this.units.run(caller.tenantId, async (tx) => {
      await this.servers.requireWritable(tx, caller, id);
      const server = await this.servers.getLocked(tx, caller, id);
      requireVersion(server, version);
      if (server.seenHostKey?.fingerprint !== fingerprint) {
        const seen = server.seenHostKey
          ? `The last check saw ${server.seenHostKey.fingerprint}.`
          : 'No check has seen a key yet.';
        throw conflict(
          'host_key_not_seen',
          `${seen} Run the check again and compare the fingerprint with the host's own.`,
        );
      }
      const pins = [server.seenHostKey, ...filterAuthorities(getPinnedKeys(server))];
      await this.machines.requireOwnKeys(tx, caller, server, pins);
      const lastCheck: ServerCheck = {
        at: new Date().toISOString(),
        state: 'host_key_accepted',
        message: 'The host showed this key, and a member accepted it. Check again to test the login.',
        source: 'acceptance',
      };
      const after = await this.writer.saveChange(
        tx,
        caller,
        server,
        {
          ...toStoredPins(pins),
          pinnedBy: caller.name,
          pinnedById: caller.userId,
          pinnedHow: 'accepted' satisfies PinnedHow,
          ...getStateAfterCheck(server, lastCheck),
          lastReachedAddress: null,
        },
        'server.accept_host_key',
      );
      await this.settleHostClaims(tx, caller, server, pins, confirmHosts);
      return this.views.addProtection(tx, caller.tenantId, after);
    });
  }

  /**
   * Claims the keys that the server did not have before.
   * @throws Problem 409 `host_proved_elsewhere`
   */
  private settleHostClaims(
    tx: EntityManager,
    caller: Principal,
    server: Server,
    pins: readonly PinnedKey[],
    confirmHosts?: boolean,
  ): Promise<void> {
    const claim = toHostClaim({ ...server, hostname: null }, getNewPins(pins, getPinnedKeys(server)));
    return this.claims.settleClaims(tx, caller, server.environmentId, [claim], { confirmHosts });
  }

  /**
   * Marks the pinned host keys of a server as shared by several machines, or removes the mark. The mark applies to all
   * servers of the tenant with those keys. A shared key does not identify a machine, so it no longer protects machines
   * of protected environments. Their addresses still do.
   * @throws Problem 404; 409 `host_key_not_pinned`
   */
  setKeyShared(caller: Principal, id: string, { shared, reason }: ShareHostKeyRequest): Promise<ServerView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const server = await this.servers.getLocked(tx, caller, id);
      const hostKeys = filterHostKeys(getPinnedKeys(server));
      if (hostKeys.length === 0)
        throw conflict('host_key_not_pinned', `No host key of "${server.name}" is accepted yet. Accept one first.`);
      const { tenantId } = caller;
      const change = async () => {
        for (const { fingerprint } of hostKeys)
          await (shared
            ? this.sharedKeys.markAsShared(tx, tenantId, fingerprint, reason ?? '')
            : this.sharedKeys.unmarkAsShared(tx, tenantId, fingerprint));
      };
      const action = shared ? 'server.share_host_key' : 'server.unshare_host_key';
      return this.writer.saveWithChange(tx, caller, server, change, action, { reason: reason ?? null });
    });
  }
}
