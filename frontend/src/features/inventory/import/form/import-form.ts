import type { ImportFormat, ImportServersRequest, PruneMode, ServerImport } from '../../../../api/types';
import { guessFormat } from './guess-format';

export interface ImportForm {
  content: string;
  format: ImportFormat | null;
  /** It was chosen by hand: what is typed changes it no more. */
  formatChosen: boolean;
  environmentId: string | null;
  sshKeyId: string | null;
  username: string;
  source: string;
  prune: PruneMode;
  pruneLimitPercent: number | '';
  skipFaulty: boolean;
}

export const emptyForm = (environmentId?: string): ImportForm => ({
  content: '',
  format: null,
  formatChosen: false,
  environmentId: environmentId ?? null,
  sshKeyId: null,
  username: '',
  source: '',
  prune: 'no',
  pruneLimitPercent: 20,
  skipFaulty: false,
});

/** The form of an import whose text is not at hand any more. */
export const formAgain = (before: ServerImport): ImportForm => ({
  ...emptyForm(before.environmentId),
  format: before.format,
  sshKeyId: before.sshKeyId,
  username: before.username ?? '',
  source: before.source ?? '',
  prune: before.prune,
  pruneLimitPercent: before.pruneLimitPercent,
  skipFaulty: before.skipFaulty,
});

/** What another text changes in the form: also the format, unless it was chosen by hand. */
export function withText(form: ImportForm, content: string, fileName?: string): Partial<ImportForm> {
  if (form.formatChosen && fileName === undefined) return { content };
  return { content, format: guessFormat(content, fileName) ?? form.format, formatChosen: false };
}

/** Bytes of a request that the server takes at most. */
export const MOST_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = 'This text is too large: an import takes 4 MiB. Split it into several imports.';

/** Only what fits together: servers are pruned by their source, and up to a limit only if at all. */
export function toRequest(form: ImportForm): ImportServersRequest {
  const { content, format, environmentId, sshKeyId, prune, pruneLimitPercent, skipFaulty } = form;
  const [source, username] = [form.source.trim(), form.username.trim()];
  const prunes = source !== '' && prune !== 'no';
  return {
    content,
    format: format ?? 'json',
    environmentId: environmentId ?? '',
    ...(sshKeyId === null ? {} : { sshKeyId }),
    ...(username === '' ? {} : { username }),
    ...(source === '' ? {} : { source }),
    ...(skipFaulty ? { skipFaulty } : {}),
    ...(prunes ? { prune, ...(pruneLimitPercent === '' ? {} : { pruneLimitPercent }) } : {}),
  };
}

/** What is missing, or can't be sent at all. */
export function formFaults(form: ImportForm): Record<string, string> {
  const { content, format, environmentId } = form;
  return {
    ...(/\S/.test(content)
      ? isTooLarge(form)
        ? { content: TOO_LARGE }
        : {}
      : { content: 'Paste a text, or choose a file.' }),
    ...(format === null ? { format: 'Say what kind of text it is.' } : {}),
    ...(environmentId === null ? { environmentId: 'Choose the environment that the servers belong to.' } : {}),
  };
}

/** As it is sent: line ends and quotes then take two bytes each. */
const isTooLarge = (form: ImportForm): boolean =>
  form.content.length > MOST_BYTES / 8 && new Blob([JSON.stringify(toRequest(form))]).size > MOST_BYTES;

/** Why a file can't be imported; null: it can. */
export function fileFault({ size }: Pick<File, 'size'>, content: string): string | null {
  if (size > MOST_BYTES) return TOO_LARGE;
  return content.includes('\0') ? 'This file is no text.' : null;
}

const FIELDS = ['format', 'environmentId', 'sshKeyId', 'username', 'source', 'prune', 'pruneLimitPercent'];

/** What is wrong with the text itself stands in a list of its own. */
export const isImportField = (path: string): boolean => FIELDS.includes(path);
