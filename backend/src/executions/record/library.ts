import type { ContentSource, FrozenSource } from '../../library/library-kind.js';
import type { TemplateContent } from '../../templates/template.reader.js';

export interface FrozenFile extends FrozenSource {
  base64: string;
}

export interface FrozenScript {
  name: string;
  revision: number;
  /** Program that runs the script: the script's interpreter, that of its first line, or the default. */
  interpreter: string;
  interpreterArguments?: string[];
  content: string;
  /** Source file and commit; absent: Runward stores the content itself. */
  git?: FrozenSource;
}

export interface FrozenLibrary {
  scripts: Record<string, FrozenScript>;
  templates: Record<string, TemplateContent>;
  files?: Record<string, FrozenFile>;
}

/** Returns the key that all steps with the same file share. */
export const toFileKey = ({ gitSourceId, path, ref }: ContentSource): string =>
  JSON.stringify([gitSourceId, ref, path]);

/** Returns the library's content from git sources, each with its purpose. */
export function listFrozenSources(library: FrozenLibrary | undefined): (FrozenSource & { usedAs: string })[] {
  if (!library) return [];
  const of = (kind: string, records: Record<string, { name: string; git?: FrozenSource }>) =>
    Object.values(records).flatMap(({ name, git }) => (git ? [{ ...git, usedAs: `${kind} ${name}` }] : []));
  const files = Object.values(library.files ?? {}).map(({ base64: _, ...source }) => ({ ...source, usedAs: 'file' }));
  return [...of('script', library.scripts), ...of('template', library.templates), ...files];
}
