#!/usr/bin/env node
/**
 * Syncs a repository with many files over SSH: first sync, sync without changes, and sync with one new commit. Compares
 * each sync with git itself (`clone --mirror`, `fetch`), alternating.
 *
 *   npm run bench:git-sync -w e2e [-- --files 10000 --rounds 3]
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { withFleet } from './lib/fleet.mjs';
import { median, timed } from './lib/runward.mjs';

const { values } = parseArgs({
  options: { files: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '3' } },
});
const run = promisify(execFile);
const DEADLINE_MS = 300_000;

await withFleet(
  { hosts: 1, settings: { RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8' } },
  async ({ folder, runward: { call }, fleet, addresses, key }) => {
    const [served, copy] = [join(folder, 'plans.git'), join(folder, 'copy')];
    chmodSync(folder, 0o755);
    const env = {
      ...process.env,
      HOME: folder,
      ...Object.fromEntries(
        ['AUTHOR', 'COMMITTER'].flatMap((who) => [
          [`GIT_${who}_NAME`, 'Bench'],
          [`GIT_${who}_EMAIL`, 'bench@bench.test'],
        ]),
      ),
    };
    const git = (...args) => run('git', args, { env, maxBuffer: 1e8 });
    await git('config', '--global', 'safe.directory', '*');
    await git('init', '--quiet', '--bare', '--initial-branch=main', served);
    await git('init', '--quiet', '--initial-branch=main', copy);
    const commit = async (message) => {
      await git('-C', copy, 'add', '--all');
      await git('-C', copy, 'commit', '--quiet', '--message', message);
      await git('-C', copy, 'push', '--quiet', served, 'main');
      if (process.getuid?.() === 0) await run('chown', ['-R', fleet.user, served]);
    };
    for (let n = 0; n < Number(values.files); n += 1) {
      const place = join(copy, `folder-${n % 100}`);
      mkdirSync(place, { recursive: true });
      writeFileSync(join(place, `file-${n}.yaml`), `name: file ${n}\nvalue: ${'x'.repeat(n % 2_000)}\n`);
    }
    await commit('All files');

    const identity = join(folder, 'id');
    writeFileSync(identity, key.privateKey, { mode: 0o600 });
    const ssh = `ssh -i ${identity} -o IdentitiesOnly=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
    const fingerprint = `SHA256:${createHash('sha256').update(Buffer.from(fleet.hostKey.publicKey, 'base64')).digest('base64').replace(/=+$/, '')}`;
    const url = `ssh://${fleet.user}@${addresses[0]}:${fleet.port}${served}`;
    const plain = (...args) => run('git', args, { env: { ...env, GIT_SSH_COMMAND: ssh } });

    const figures = { first: [], unchanged: [], 'one commit on': [] };
    const take = async (name, ours, git) => {
      const each = { ours: await timed(ours), git: await timed(git) };
      figures[name].push(each);
      console.log(`${name}: Runward ${each.ours.toFixed(0)} ms, git ${each.git.toFixed(0)} ms`);
    };
    for (let round = 1; round <= Number(values.rounds); round += 1) {
      const { id } = await call('POST', '/api/git-sources', {
        name: `bench ${round}`,
        url,
        credential: { sshKeyId: key.id },
        hostKey: { fingerprint },
      });
      const mirror = join(folder, `mirror-${round}.git`);
      const sync = async () => {
        const before = (await call('GET', `/api/git-sources/${id}`)).syncFinishedAt;
        await call('POST', `/api/git-sources/${id}/sync`);
        const deadline = performance.now() + DEADLINE_MS;
        for (;;) {
          const source = await call('GET', `/api/git-sources/${id}`);
          if (source.syncFinishedAt !== before && !source.syncing) {
            if (source.reason) throw new Error(source.reason.text);
            return;
          }
          if (performance.now() > deadline) throw new Error('The sync did not end in time.');
          await pause(20);
        }
      };
      await take('first', sync, () => plain('clone', '--quiet', '--mirror', url, mirror));
      await take('unchanged', sync, () => plain('-C', mirror, 'fetch', '--quiet'));
      writeFileSync(join(copy, 'folder-1', 'changed.yaml'), `round: ${round}\n`);
      await commit(`Round ${round}`);
      await take('one commit on', sync, () => plain('-C', mirror, 'fetch', '--quiet'));
      rmSync(mirror, { recursive: true, force: true });
    }
    console.log(`\n${values.files} files, medians of ${values.rounds}:`);
    for (const [name, rows] of Object.entries(figures)) {
      const [ours, theirs] = ['ours', 'git'].map((who) => median(rows.map((row) => row[who])));
      console.log(`${name}: ${(ours / 1000).toFixed(2)} s, git ${(theirs / 1000).toFixed(2)} s`);
    }
  },
);
