import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { statfs } from 'node:fs/promises';
import { once } from 'node:events';
import { describeSystemError, toReason } from '../../common/database/start-error.js';
import { toDiskState } from '../../common/health/disk-space.js';
import { findSmtpFault } from '../../notifications/sending/mail-sender.js';
import { type CheckResult, failed, type InstallationCheck, ok, warning } from './installation-check.js';

const MIB = 1024 * 1024;
const REQUEST_TIMEOUT_MS = 3_000;

export const MACHINE_CHECKS: readonly InstallationCheck[] = [
  {
    id: 'disk',
    title: 'Free disk space',
    run: async ({ settings: { dataDir, minFreeDiskMib } }) => {
      const disk = await statfs(dataDir).catch(() => null);
      if (!disk)
        return warning(
          `The data folder ${dataDir} cannot be read.`,
          'Set RUNWARD_DATA_DIR to the folder that Runward uses.',
        );
      const freeMib = Math.floor((disk.bavail * disk.bsize) / MIB);
      const text = `${freeMib} MiB are free in ${dataDir}; the limit is ${minFreeDiskMib} MiB.`;
      const state = toDiskState(freeMib, minFreeDiskMib);
      const advice = 'Free space on this disk, or move the data folder to a larger one.';
      if (state === 'too_low') return failed(text, advice);
      return state === 'low' ? warning(text, advice) : ok(text);
    },
  },
  {
    id: 'port',
    title: 'Port',
    run: async ({ settings: { host, port, role } }) =>
      role === 'worker' ? ok('A worker serves no requests.') : checkPort(host, port),
  },
  {
    id: 'dns',
    title: 'Host names',
    run: async ({ settings: { publicUrl, smtp } }) => {
      const names = [new URL(publicUrl).hostname.replace(/^\[|\]$/g, ''), ...(smtp ? [smtp.host] : [])];
      const found = await Promise.all(
        names.map((name) =>
          lookup(name).then(
            () => null,
            (error: unknown) => `${name} (${toReason(error)})`,
          ),
        ),
      );
      const missing = found.filter((each) => each !== null);
      return missing.length === 0
        ? ok(`${names.join(' and ')} can be resolved.`)
        : warning(`Not resolved: ${missing.join(', ')}.`, 'Correct the name in the settings, or add it to the DNS.');
    },
  },
  {
    id: 'smtp',
    title: 'Mail server',
    run: async ({ settings: { smtp } }) => {
      if (!smtp) return ok('No mail server is set, so Runward sends no mail.');
      const fault = await findSmtpFault(smtp);
      return fault === null
        ? ok(`${smtp.host}:${smtp.port} accepts the login.`)
        : failed(fault, 'Correct RUNWARD_SMTP_URL, then run this command again.');
    },
  },
];

async function checkPort(host: string, port: number): Promise<CheckResult> {
  const server = createServer();
  try {
    server.listen(port, host);
    await once(server, 'listening');
    return ok(`Port ${port} of ${host} is free: Runward does not run here.`);
  } catch (error) {
    if (toReason(error) !== 'EADDRINUSE')
      return failed(
        `Port ${port} of ${host} cannot be used (${describeSystemError(error)}).`,
        'Correct RUNWARD_HOST or RUNWARD_PORT.',
      );
    return (await isRunward(host, port))
      ? ok(`Runward answers on port ${port} of ${host}.`)
      : failed(
          `Port ${port} of ${host} is in use by another program, or Runward does not answer.`,
          'Stop that program, or set another port with RUNWARD_PORT.',
        );
  } finally {
    server.close();
  }
}

async function isRunward(host: string, port: number): Promise<boolean> {
  const name = host === '0.0.0.0' || host === '*' ? '127.0.0.1' : host === '::' ? '[::1]' : host;
  const url = `http://${name.includes(':') && !name.startsWith('[') ? `[${name}]` : name}:${port}/api/installation`;
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: 'error' });
    const body = (await answer.json()) as { state?: unknown; howToEnd?: unknown };
    return answer.ok && typeof body.state === 'string' && 'howToEnd' in body;
  } catch {
    return false;
  }
}
