import { IMPORT_FORMATS } from '../../../../api/lists';
import type { ImportFormat } from '../../../../api/types';

const [ownFormat, ...otherFormats] = IMPORT_FORMATS;
export const FORMAT_CHOICES = [...otherFormats, ownFormat].map(({ name, label }) => ({ value: name, label }));

const textsOf = (format: ImportFormat) => IMPORT_FORMATS.find(({ name }) => name === format);

export const formatLabel = (format: ImportFormat): string => textsOf(format)?.label ?? format;

export const formatMeaning = (format: ImportFormat): string => textsOf(format)?.meaning ?? '';

const MAX_INSPECTED_CHARACTERS = 20_000;
const toPattern = ([source, flags]: readonly [string, string]) => new RegExp(source, flags);
const FORMATS = IMPORT_FORMATS.map(({ name, fileName, clues }) => ({
  name,
  decides: fileName?.decides ?? false,
  fileName: fileName && toPattern(fileName.pattern),
  clues: clues.map(({ certainty, patterns }) => ({ certainty, patterns: patterns.map(toPattern) })),
}));

/** Detects the format of a text from its file name and beginning; null: unknown. */
export function guessFormat(content: string, fileName = ''): ImportFormat | null {
  const name = fileName.toLowerCase();
  const start = content.slice(0, MAX_INSPECTED_CHARACTERS);
  const named = FORMATS.filter((format) => format.fileName?.test(name));
  return (named.find(({ decides }) => decides) ?? findByContent(start) ?? named[0])?.name ?? null;
}

/** Of several equally certain formats, the first one is returned. */
function findByContent(start: string) {
  const certainties = FORMATS.map(({ clues }) =>
    Math.max(
      0,
      ...clues
        .filter(({ patterns }) => patterns.every((pattern) => pattern.test(start)))
        .map(({ certainty }) => certainty),
    ),
  );
  const highest = Math.max(...certainties);
  return highest === 0 ? undefined : FORMATS[certainties.indexOf(highest)];
}
