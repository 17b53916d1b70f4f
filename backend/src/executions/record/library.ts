import type { ContentSource, FrozenSource } from '../../common/library/library-kind.js';
import type { TemplateContent } from '../../templates/template.reader.js';

/** A file of a git source as a run froze it at its start. */
export interface FrozenFile extends FrozenSource {
  base64: string;
}

/** A script as a run froze it at its start. */
export interface FrozenScript {
  name: string;
  revision: number;
  /** Program that runs it: the script's interpreter, that of its first line, or the default. */
  interpreter: string;
  /** Arguments of the program before the file of the script; absent: none. */
  interpreterArguments?: string[];
  content: string;
  /** Which file of which commit the content was read from; absent: the content is the record's own. */
  git?: FrozenSource;
}

/** Scripts and templates as a run froze them at its start, by id. */
export interface FrozenLibrary {
  scripts: Record<string, FrozenScript>;
  templates: Record<string, TemplateContent>;
  /** What `file` steps put on hosts, by `fileKey`; absent: no step does. */
  files?: Record<string, FrozenFile>;
}

/** Steps that name the same file share it. */
export const fileKey = ({ gitSourceId, path, ref }: ContentSource): string => JSON.stringify([gitSourceId, ref, path]);

/** Everything of a library that came from git sources, each with what it is there for. */
export function frozenSources(library: FrozenLibrary | undefined): (FrozenSource & { usedAs: string })[] {
  if (!library) return [];
  const of = (kind: string, records: Record<string, { name: string; git?: FrozenSource }>) =>
    Object.values(records).flatMap(({ name, git }) => (git ? [{ ...git, usedAs: `${kind} ${name}` }] : []));
  const files = Object.values(library.files ?? {}).map(({ base64: _, ...source }) => ({ ...source, usedAs: 'file' }));
  return [...of('script', library.scripts), ...of('template', library.templates), ...files];
}
