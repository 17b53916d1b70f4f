import type { ReadingMode, TextFault, YamlTree } from './plan-text.ts';

/** Fault of a text that was written for another product. */
export type ForeignFormatFault = Pick<TextFault, 'code' | 'message'>;

const RUNDECK_XML_FAULT: ForeignFormatFault = {
  code: 'rundeck_xml',
  message:
    'This is Rundeck\'s XML. Export the jobs as YAML or JSON (rd jobs list -F yaml -f jobs.yaml) and import that, with the format "rundeck".',
};
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
    const root = /<(?!\?|!--)([A-Za-z][\w.-]*)/.exec(text.replace(/<!--[\s\S]*?-->/g, ''))?.[1];
    return root === 'joblist' || root === 'job'
      ? RUNDECK_XML_FAULT
      : foreignFormatFault('XML', 'Send a plan as YAML or JSON.');
  }
  if (text.startsWith('#!'))
    return foreignFormatFault('a script', 'Add it to the script library and run it in a step.');
  if (/^(?:(?:\/\/|@Library|import\b|def\b).*\n\s*)*(?:pipeline|node)\s*(?:\([^)\n]*\)\s*)?\{/.test(text))
    return foreignFormatFault('a Jenkinsfile', WRITE_BY_HAND_ADVICE);
  return null;
}

type Fields = { readonly [name: string]: YamlTree };

const isFields = (value: YamlTree | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const hasAnyField = (value: Fields, ...names: string[]): boolean => names.some((name) => Object.hasOwn(value, name));

/** Detects other products by the parsed text. Null: the text may be a plan or a job, according to `reading`. */
export function findForeignTreeFault(value: YamlTree, reading: ReadingMode): ForeignFormatFault | null {
  const [first] = Array.isArray(value) ? value : [value];
  if (!isFields(first)) return null;
  if (hasAnyField(first, 'sequence') && hasAnyField(first, 'name'))
    return reading === 'texts'
      ? null
      : foreignFormatFault('a text of Rundeck jobs', 'Import it with the format "rundeck".');
  if (hasAnyField(first, 'steps'))
    return reading === 'texts' ? foreignFormatFault('a plan', 'Import it with the format "plan".') : null;
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
