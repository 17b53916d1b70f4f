import type { CreateGitSourceRequest, GitSource, UpdateGitSourceRequest } from '../../../api/types';

/** Authentication of a source; `keep`: the stored credential. */
export type SignIn = 'keep' | 'none' | 'key' | 'token';

export interface GitSourceForm {
  name: string;
  description: string;
  url: string;
  branch: string;
  signIn: SignIn;
  sshKeyId: string | null;
  user: string;
  token: string;
  /** Fingerprint of the accepted host key; empty: none. */
  hostKey: string;
  /** Interval in seconds, as text; empty: no automatic sync. */
  syncEvery: string;
  /** `keep`: keep the stored secret. */
  webhook: 'keep' | 'none' | 'set';
  webhookSecret: string;
}

export const INTERVALS = [
  { value: '', label: 'Only manually or by webhook' },
  { value: '60', label: 'Every minute' },
  { value: '300', label: 'Every 5 minutes' },
  { value: '900', label: 'Every 15 minutes' },
  { value: '3600', label: 'Every hour' },
  { value: '86400', label: 'Every day' },
];

export const NEW_SOURCE: GitSourceForm = {
  name: '',
  description: '',
  url: '',
  branch: '',
  signIn: 'none',
  sshKeyId: null,
  user: '',
  token: '',
  hostKey: '',
  syncEvery: '300',
  webhook: 'none',
  webhookSecret: '',
};

/** Returns the form values of a stored source. Secrets are unknown, so the user keeps or replaces them. */
export const formOf = (source: GitSource): GitSourceForm => ({
  name: source.name,
  description: source.description,
  url: source.url,
  branch: source.branch ?? '',
  signIn: source.credential === null ? 'none' : source.credential.sshKeyId === null ? 'keep' : 'key',
  sshKeyId: source.credential?.sshKeyId ?? null,
  user: source.credential?.user ?? '',
  token: '',
  hostKey: source.hostKey?.fingerprint ?? '',
  syncEvery: source.syncEverySeconds === null ? '' : String(source.syncEverySeconds),
  webhook: source.webhook.configured ? 'keep' : 'none',
  webhookSecret: '',
});

/** Whether a URL uses SSH. Such a source has a pinned host key and no token. */
export const isSsh = (url: string): boolean => /^ssh:\/\//i.test(url.trim()) || /^[^/:\s]+@[^/:\s]+:/.test(url.trim());

export function missing(form: GitSourceForm): Partial<Record<keyof GitSourceForm, string>> {
  const errors: Partial<Record<keyof GitSourceForm, string>> = {};
  if (form.name.trim() === '') errors.name = 'Enter a name.';
  if (form.url.trim() === '') errors.url = 'Enter the repository URL: https://… or git@host:path.';
  if (form.signIn === 'key' && form.sshKeyId === null)
    errors.sshKeyId = 'Choose the SSH key that the git server accepts.';
  if (form.signIn === 'token' && form.token === '') errors.token = 'Enter the token.';
  if (form.webhook === 'set' && form.webhookSecret === '') errors.webhookSecret = 'Enter or generate a secret.';
  return errors;
}

function credentialOf({ signIn, sshKeyId, token, user }: GitSourceForm): CreateGitSourceRequest['credential'] {
  if (signIn === 'key') return { sshKeyId: sshKeyId ?? undefined };
  if (signIn === 'token') return { token, ...(user.trim() === '' ? {} : { user: user.trim() }) };
  return null;
}

const common = (form: GitSourceForm) => ({
  name: form.name.trim(),
  description: form.description.trim(),
  url: form.url.trim(),
  branch: form.branch.trim() || null,
  syncEverySeconds: form.syncEvery === '' ? null : Number(form.syncEvery),
  // An https source has no host key.
  hostKey: isSsh(form.url) && form.hostKey.trim() !== '' ? { fingerprint: form.hostKey.trim() } : null,
});

export const toCreate = (form: GitSourceForm): CreateGitSourceRequest => ({
  ...common(form),
  credential: credentialOf(form),
  ...(form.webhook === 'set' ? { webhookSecret: form.webhookSecret } : {}),
});

export function toUpdate(form: GitSourceForm, source: GitSource): UpdateGitSourceRequest {
  const before = formOf(source);
  const [now, then] = [common(form), common(before)];
  const changed = Object.fromEntries(
    Object.entries(now).filter(
      ([key, value]) => JSON.stringify(value) !== JSON.stringify(then[key as keyof typeof then]),
    ),
  );
  const changesSignIn = form.signIn === 'token' || form.signIn !== before.signIn || form.sshKeyId !== before.sshKeyId;
  return {
    ...changed,
    ...(changesSignIn && form.signIn !== 'keep' ? { credential: credentialOf(form) } : {}),
    ...(form.webhook === 'set' ? { webhookSecret: form.webhookSecret } : {}),
    ...(form.webhook === 'none' && before.webhook === 'keep' ? { webhookSecret: null } : {}),
  };
}

/** Returns the form field for an error at `path` of the request; null: none. */
export function fieldOf(path: string): keyof GitSourceForm | null {
  if (path.startsWith('credential.sshKeyId')) return 'sshKeyId';
  if (path.startsWith('credential.user')) return 'user';
  if (path.startsWith('credential')) return 'token';
  if (path.startsWith('hostKey')) return 'hostKey';
  if (path === 'syncEverySeconds') return 'syncEvery';
  return path in NEW_SOURCE ? (path as keyof GitSourceForm) : null;
}

export const generateSecret = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => byte.toString(16).padStart(2, '0')).join('');
