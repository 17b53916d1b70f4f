import type { ForeignFormatFault, PlanFormat } from '../code/plan-format.ts';
import { PLAN_FORMATS } from './plan-formats.ts';
import { type Fields, isFields, type YamlTree } from '../code/plan-text.ts';

const [ownFormat, ...otherFormats]: readonly [PlanFormat, ...PlanFormat[]] = PLAN_FORMATS;

const foreignFormatFault = (product: string, advice: string): ForeignFormatFault => ({
  code: 'foreign_format',
  message: `This is ${product}. ${advice}`,
});
const WRITE_BY_HAND_ADVICE = 'It cannot be imported. Write a plan with the commands that it runs.';

/**
 * Detects other products by the raw text, for texts that are not YAML or only by chance. Null: the text may be a plan
 * or a job.
 */
export function findForeignTextFault(content: string): ForeignFormatFault | null {
  const text = content.slice(0, 10_000).replace(/^[\s\uFEFF]+/, '');
  if (text.startsWith('<')) {
    const root = /<(?!\?|!--)([A-Za-z][\w.-]*)/.exec(text.replace(/<!--[\s\S]*?-->/g, ''))?.[1] ?? '';
    for (const { findXmlFault } of otherFormats) {
      const fault = findXmlFault?.(root);
      if (fault) return fault;
    }
    return foreignFormatFault('XML', 'Send a plan as YAML or JSON.');
  }
  if (text.startsWith('#!'))
    return foreignFormatFault('a script', 'Add it to the script library and run it in a step.');
  if (/^(?:(?:\/\/|@Library|import\b|def\b).*\n\s*)*(?:pipeline|node)\s*(?:\([^)\n]*\)\s*)?\{/.test(text))
    return foreignFormatFault('a Jenkinsfile', WRITE_BY_HAND_ADVICE);
  return null;
}

const hasAnyField = (value: Fields, ...names: string[]): boolean => names.some((name) => Object.hasOwn(value, name));

/** Detects other formats and products by the parsed text. Null: the text may be in the format. */
export function findForeignTreeFault(value: YamlTree, format: string): ForeignFormatFault | null {
  const [first] = Array.isArray(value) ? value : [value];
  if (!isFields(first)) return null;
  const match = [...otherFormats, ownFormat].find(({ matches }) => matches(first));
  if (match)
    return match.name === format
      ? null
      : foreignFormatFault(match.meaning, `Import it with the format "${match.name}".`);
  return Array.isArray(value) ? findForeignListFault(first) : findForeignMapFault(first);
}

function findForeignListFault(first: Fields): ForeignFormatFault | null {
  const isPlay =
    hasAnyField(first, 'hosts') && hasAnyField(first, 'tasks', 'roles', 'pre_tasks', 'post_tasks', 'vars', 'become');
  return isPlay || hasAnyField(first, 'import_playbook', 'ansible.builtin.import_playbook')
    ? foreignFormatFault('an Ansible playbook', WRITE_BY_HAND_ADVICE)
    : null;
}

function findForeignMapFault(value: Fields): ForeignFormatFault | null {
  if (hasAnyField(value, 'jobs') && hasAnyField(value, 'on', 'true'))
    return foreignFormatFault('a GitHub workflow', WRITE_BY_HAND_ADVICE);
  if (hasAnyField(value, 'apiVersion') && hasAnyField(value, 'kind'))
    return foreignFormatFault('a Kubernetes object', WRITE_BY_HAND_ADVICE);
  if (isFields(value.services)) return foreignFormatFault('a Compose file', WRITE_BY_HAND_ADVICE);
  const isJob = (each: YamlTree) => isFields(each) && hasAnyField(each, 'script', 'stage', 'trigger', 'extends');
  return hasAnyField(value, 'stages') || Object.values(value).some(isJob)
    ? foreignFormatFault('a GitLab pipeline', WRITE_BY_HAND_ADVICE)
    : null;
}
