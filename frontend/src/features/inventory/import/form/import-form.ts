import type { ImportFormat, ImportServersRequest, PruneMode, ServerImport } from '../../../../api/types';
import { guessFormat } from './formats';

export interface ImportForm {
  content: string;
  format: ImportFormat | null;
  /** True: a person chose the format, so it is no longer detected from the text. */
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

export const formFromImport = (before: ServerImport): ImportForm => ({
  ...emptyForm(before.environmentId),
  format: before.format,
  sshKeyId: before.sshKeyId,
  username: before.username ?? '',
  source: before.source ?? '',
  prune: before.prune,
  pruneLimitPercent: before.pruneLimitPercent,
  skipFaulty: before.skipFaulty,
});

/** Returns the form values after a change of the text. Detects the format too, unless a person chose it. */
export function withText(form: ImportForm, content: string, fileName?: string): Partial<ImportForm> {
  if (form.formatChosen && fileName === undefined) return { content };
  return { content, format: guessFormat(content, fileName) ?? form.format, formatChosen: false };
}

export const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const TOO_LARGE = 'The text is too large. The limit is 4 MiB per import. Split the text.';

/** Builds a request with consistent options: pruning needs a source, and the limit needs pruning. */
export function toRequest(form: ImportForm): ImportServersRequest {
  const { content, format, environmentId, sshKeyId, prune, pruneLimitPercent, skipFaulty } = form;
  const [source, username] = [form.source.trim(), form.username.trim()];
  const isPruning = source !== '' && prune !== 'no';
  return {
    content,
    format: format ?? 'json',
    environmentId: environmentId ?? '',
    ...(sshKeyId === null ? {} : { sshKeyId }),
    ...(username === '' ? {} : { username }),
    ...(source === '' ? {} : { source }),
    ...(skipFaulty ? { skipFaulty } : {}),
    ...(isPruning ? { prune, ...(pruneLimitPercent === '' ? {} : { pruneLimitPercent }) } : {}),
  };
}

export function formFaults(form: ImportForm): Record<string, string> {
  const { content, format, environmentId } = form;
  return {
    ...(/\S/.test(content)
      ? isTooLarge(form)
        ? { content: TOO_LARGE }
        : {}
      : { content: 'Paste text or choose a file.' }),
    ...(format === null ? { format: 'Choose the format.' } : {}),
    ...(environmentId === null ? { environmentId: 'Choose an environment.' } : {}),
  };
}

/** Measures the text in the form of the request, where line ends and quotes take two bytes each. */
const isTooLarge = (form: ImportForm): boolean =>
  form.content.length > MAX_TEXT_BYTES / 8 && new Blob([JSON.stringify(toRequest(form))]).size > MAX_TEXT_BYTES;

/** Returns why a file can't be imported; null: it can. */
export function fileFault({ size }: Pick<File, 'size'>, content: string): string | null {
  if (size > MAX_TEXT_BYTES) return TOO_LARGE;
  return content.includes('\0') ? 'This is not a text file.' : null;
}

const FIELDS = ['format', 'environmentId', 'sshKeyId', 'username', 'source', 'prune', 'pruneLimitPercent'];

/** Errors of the text are listed separately. */
export const isImportField = (path: string): boolean => FIELDS.includes(path);
