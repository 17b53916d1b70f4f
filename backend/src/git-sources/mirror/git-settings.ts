import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '../../common/settings/settings.js';

export interface GitLimits {
  repositoryBytes: number;
  files: number;
  refs: number;
  timeoutMs: number;
}

const MAX_FILES = 100_000;
const MAX_REFS = 5_000;
const BYTES_PER_MEBIBYTE = 1024 * 1024;

export const getGitLimits = ({ gitRepositoryMib, gitTimeoutSeconds }: Settings): GitLimits => ({
  repositoryBytes: gitRepositoryMib * BYTES_PER_MEBIBYTE,
  files: MAX_FILES,
  refs: MAX_REFS,
  timeoutMs: gitTimeoutSeconds * 1000,
});

export interface GitFolders {
  mirrors: string;
  temporary: string;
  /** An empty folder. */
  home: string;
}

export const getGitFolders = ({ dataDir }: Settings): GitFolders => ({
  mirrors: join(dataDir, 'git', 'mirrors'),
  temporary: join(dataDir, 'git', 'temporary'),
  home: join(dataDir, 'git', 'home'),
});

export async function makeGitFolders({ mirrors, temporary, home }: GitFolders): Promise<void> {
  for (const folder of [mirrors, temporary, home]) await mkdir(folder, { recursive: true, mode: 0o700 });
}

/**
 * Complete environment of git. It excludes this process's variables, system and user configuration, prompts and other
 * programs.
 */
export const toGitEnvironment = (folders: GitFolders): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin:/opt/homebrew/bin',
  LC_ALL: 'C',
  HOME: folders.home,
  XDG_CONFIG_HOME: folders.home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_PROTOCOL_FROM_USER: '0',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_LITERAL_PATHSPECS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_LFS_SKIP_SMUDGE: '1',
});

/** Configuration for every call, which a repository cannot override. */
export const GIT_CONFIGURATION: readonly string[] = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.askPass=',
  'core.bigFileThreshold=1m',
  'core.symlinks=false',
  'credential.helper=',
  'http.followRedirects=false',
  'http.proxy=',
  'http.sslVerify=true',
  'http.lowSpeedLimit=500',
  'http.lowSpeedTime=20',
  'fetch.unpackLimit=1',
  'fetch.recurseSubmodules=no',
  'fetch.writeCommitGraph=false',
  'fetch.uriProtocols=',
  'submodule.recurse=false',
  'transfer.bundleURI=false',
  'transfer.credentialsInUrl=die',
  'pack.threads=1',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'protocol.allow=never',
  'uploadpack.allowFilter=false',
  'safe.directory=*',
].flatMap((setting) => ['-c', setting]);
