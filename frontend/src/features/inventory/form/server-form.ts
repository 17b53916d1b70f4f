import type { CreateServerRequest, Server } from '../../../api/types';

/** Fields of the request that the form does not offer. */
type OmittedField = 'hostKeys' | 'externalSource' | 'externalId' | 'confirmHosts';
type FieldName = Exclude<keyof CreateServerRequest, OmittedField>;

/** A field of the request that is missing in `formOf` or `toRequest` does not compile. */
export interface ServerForm extends Record<FieldName, unknown> {
  name: string;
  hostname: string;
  port: number | '';
  username: string;
  sshKeyId: string | null;
  environmentId: string | null;
  /** Null: direct connection. */
  jumpServerId: string | null;
  /** Tags, each as `key=value`. */
  tags: string[];
  legacyAlgorithms: boolean;
  /** In seconds; empty: the default. */
  loginTimeoutSeconds: number | '';
  enabled: boolean;
  /** Public key line of the host, only for a new server; may be empty. */
  hostKey: string;
}

export function formOf(server: Server | null, environmentId?: string): ServerForm {
  return {
    name: server?.name ?? '',
    hostname: server?.hostname ?? '',
    port: server?.port ?? 22,
    username: server?.username ?? '',
    sshKeyId: server?.sshKeyId ?? null,
    environmentId: server?.environmentId ?? environmentId ?? null,
    jumpServerId: server?.jumpServerId ?? null,
    tags: Object.entries(server?.tags ?? {}).map(([key, value]) => (value === '' ? key : `${key}=${value}`)),
    legacyAlgorithms: server?.legacyAlgorithms ?? false,
    loginTimeoutSeconds: server?.loginTimeoutSeconds ?? '',
    enabled: server?.enabled ?? true,
    hostKey: '',
  };
}

/** Sends missing selections as empty strings, so that the API reports them for their fields. */
export function toRequest(form: ServerForm): CreateServerRequest & Record<FieldName, unknown> {
  return {
    name: form.name,
    hostname: form.hostname.trim(),
    port: form.port === '' ? undefined : form.port,
    username: form.username.trim(),
    sshKeyId: form.sshKeyId ?? '',
    environmentId: form.environmentId ?? '',
    jumpServerId: form.jumpServerId,
    tags: tagsOf(form.tags),
    legacyAlgorithms: form.legacyAlgorithms,
    loginTimeoutSeconds: form.loginTimeoutSeconds === '' ? null : form.loginTimeoutSeconds,
    enabled: form.enabled,
    hostKey: form.hostKey.trim() ? { publicKey: form.hostKey.trim() } : undefined,
  };
}

/** @param texts each as `key=value` */
export const tagsOf = (texts: readonly string[]): Record<string, string> => Object.fromEntries(texts.map(toTag));

function toTag(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

const EMPTY_FORM = formOf(null);

export const isServerField = (path: string): boolean => Object.hasOwn(EMPTY_FORM, path);

/** Reports missing required selections. The messages are clearer than those of the API. */
export function missingChoices(form: Pick<ServerForm, 'sshKeyId' | 'environmentId'>): Record<string, string> {
  return {
    ...(form.sshKeyId === null ? { sshKeyId: 'Choose an SSH key.' } : {}),
    ...(form.environmentId === null ? { environmentId: 'Choose an environment.' } : {}),
  };
}
