import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { OutgoingAddressError, type OutgoingAddresses } from '../../common/network/outgoing-addresses.js';
import { findProxy } from '../../common/network/outgoing-proxy.js';
import type { OpenedKey } from '../../keys/key-vault.js';
import type { HostKey } from '../../transport/keys/host-key.js';
import type { GitUrl } from '../urls/git-url.js';
import { GitError } from './git-error.js';
import { type GitFolders, makeGitFolders } from './git-settings.js';

export interface RemoteAccess {
  url: GitUrl;
  /** Only for https; null: no login. */
  login: { user: string; token: string } | null;
  /** Only for ssh. */
  key: OpenedKey | null;
  hostKey: HostKey | null;
}

export interface Remote {
  url: GitUrl;
  /** Options of git before the subcommand. */
  options: string[];
  env: Record<string, string>;
  secrets: string[];
}

/** Resolves the remote's host to allowed addresses. @throws GitError */
export async function resolveAddresses(url: GitUrl, outgoing: OutgoingAddresses): Promise<string[]> {
  try {
    return await outgoing.resolveAllowed(url.host, findRemoteProxy(url) !== null);
  } catch (error) {
    if (error instanceof OutgoingAddressError) throw new GitError(error.code, error.message);
    throw error;
  }
}

const findRemoteProxy = ({ scheme, text }: GitUrl): string | null => (scheme === 'https' ? findProxy(text) : null);

export interface RemoteOptions {
  addresses: readonly string[];
  folders: GitFolders;
  /** File of trusted certificates (PEM) that replaces the system's; undefined: the system's. */
  caFile: string | undefined;
}

/** Runs `work` with the remote, then deletes its temporary files. */
export async function withRemote<T>(
  access: RemoteAccess,
  remoteOptions: RemoteOptions,
  work: (remote: Remote) => Promise<T>,
): Promise<T> {
  if (access.url.scheme === 'https') return work(createHttpsRemote(access, remoteOptions));
  const { folders } = remoteOptions;
  await makeGitFolders(folders);
  const folder = await mkdtemp(join(folders.temporary, 'ssh-'));
  try {
    return await work(await createSshRemote(access, remoteOptions, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Git connects only to the validated addresses: it does not resolve the name again, and GIT_CONFIGURATION forbids
 * redirects. A proxy of the environment connects to the name.
 */
function createHttpsRemote({ url, login }: RemoteAccess, { addresses, caFile }: RemoteOptions): Remote {
  const options = ['-c', 'protocol.https.allow=always'];
  const proxy = findRemoteProxy(url);
  if (isIP(url.host) === 0 && proxy === null) {
    const addressList = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
    options.push('-c', `http.curloptResolve=${url.host}:${url.port}:${addressList}`);
  }
  if (caFile !== undefined) options.push('-c', `http.sslCAInfo=${caFile}`);
  const secrets: string[] = [];
  const env: Record<string, string> = { GIT_ALLOW_PROTOCOL: 'https' };
  /** Passes a setting in the environment, because all users of the machine can read program arguments. */
  const addSecretSetting = (name: string, variable: string, value: string) => {
    options.push(`--config-env=${name}=${variable}`);
    env[variable] = value;
  };
  if (proxy !== null) {
    const { password } = new URL(proxy);
    if (password !== '') secrets.push(password, decodeURIComponent(password));
    addSecretSetting('http.proxy', 'PROXY', proxy);
  }
  if (login) {
    const basicCredentials = Buffer.from(`${login.user}:${login.token}`).toString('base64');
    secrets.push(login.token, basicCredentials);
    addSecretSetting('http.extraHeader', 'AUTHORIZATION', `Authorization: Basic ${basicCredentials}`);
  }
  return { url, options, env, secrets };
}

const SSH_HOST_ALIAS = 'runward-git';

async function createSshRemote(
  { url, key, hostKey }: RemoteAccess,
  { addresses }: RemoteOptions,
  folder: string,
): Promise<Remote> {
  const [address] = addresses;
  if (!key || !hostKey || address === undefined)
    throw new Error('A remote by ssh needs a key, a host key and an address.');
  const file = (name: string) => join(folder, name);
  const only = { mode: 0o600, flag: 'wx' };
  await writeFile(file('key'), key.privateKey.endsWith('\n') ? key.privateKey : `${key.privateKey}\n`, only);
  if (key.certificate !== null) await writeFile(file('key-cert.pub'), `${key.certificate}\n`, only);
  await writeFile(file('known_hosts'), `${SSH_HOST_ALIAS} ${hostKey.type} ${hostKey.publicKey}\n`, only);
  const settings = [
    `HostName ${address}`,
    `HostKeyAlias ${SSH_HOST_ALIAS}`,
    `UserKnownHostsFile "${file('known_hosts')}"`,
    'GlobalKnownHostsFile /dev/null',
    'StrictHostKeyChecking yes',
    'UpdateHostKeys no',
    'VerifyHostKeyDNS no',
    `IdentityFile "${file('key')}"`,
    ...(key.certificate === null ? [] : [`CertificateFile "${file('key-cert.pub')}"`]),
    'IdentitiesOnly yes',
    'IdentityAgent none',
    'PreferredAuthentications publickey',
    'BatchMode yes',
    'ForwardAgent no',
    'ForwardX11 no',
    'ClearAllForwardings yes',
    'PermitLocalCommand no',
    'ProxyCommand none',
    'ControlMaster no',
    'ControlPath none',
    'CanonicalizeHostname no',
    'ConnectTimeout 15',
    'ServerAliveInterval 15',
    'ServerAliveCountMax 2',
    'LogLevel ERROR',
  ];
  await writeFile(file('config'), `Host *\n${settings.map((line) => `  ${line}\n`).join('')}`, only);
  return {
    url,
    options: ['-c', 'protocol.ssh.allow=always'],
    env: {
      GIT_ALLOW_PROTOCOL: 'ssh',
      GIT_SSH_COMMAND: `ssh -F ${quoteForShell(file('config'))}`,
      GIT_SSH_VARIANT: 'ssh',
    },
    secrets: [],
  };
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
