import type { ScriptContent } from '../../scripts/script.reader.js';
import type { TemplateContent } from '../../templates/template.reader.js';

/** Scripts and templates as a run froze them at its start, by id. */
export interface FrozenLibrary {
  scripts: Record<string, ScriptContent>;
  templates: Record<string, TemplateContent>;
}
