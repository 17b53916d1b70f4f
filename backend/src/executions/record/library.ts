import type { ContentSource, FrozenSource } from '../../common/library/library-kind.js';
import type { TemplateContent } from '../../templates/template.reader.js';

export interface FrozenFile extends FrozenSource {
  base64: string;
}

export interface FrozenScript {
  name: string;
  revision: number;
  /** Program that runs it: interpreter of the script, of its first line, or the default. */
  interpreter: string;
  /** Arguments of the interpreter before the script file; absent: none. */
  interpreterArguments?: string[];
  content: string;
  /** Source file and commit of the content; absent: the content is stored in the script itself. */
  git?: FrozenSource;
}

export interface FrozenLibrary {
  scripts: Record<string, FrozenScript>;
  templates: Record<string, TemplateContent>;
  /** Files of `file` steps, by `fileKey`; absent: none. */
  files?: Record<string, FrozenFile>;
}

/** Key shared by all steps that use the same file. */
export const fileKey = ({ gitSourceId, path, ref }: ContentSource): string => JSON.stringify([gitSourceId, ref, path]);

/** Returns the library's content from git sources, each with its purpose. */
export function frozenSources(library: FrozenLibrary | undefined): (FrozenSource & { usedAs: string })[] {
  if (!library) return [];
  const of = (kind: string, records: Record<string, { name: string; git?: FrozenSource }>) =>
    Object.values(records).flatMap(({ name, git }) => (git ? [{ ...git, usedAs: `${kind} ${name}` }] : []));
  const files = Object.values(library.files ?? {}).map(({ base64: _, ...source }) => ({ ...source, usedAs: 'file' }));
  return [...of('script', library.scripts), ...of('template', library.templates), ...files];
}
