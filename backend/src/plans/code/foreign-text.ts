import type { Reading, TextFault, Tree } from './plan-text.ts';

/** Fault of a text that was written for another product. */
export type ForeignFault = Pick<TextFault, 'code' | 'message'>;

const RUNDECK_XML: ForeignFault = {
  code: 'rundeck_xml',
  message:
    'This is Rundeck\'s XML. Export the jobs as YAML or JSON (rd jobs list -F yaml -f jobs.yaml) and import that, with the format "rundeck".',
};
const foreign = (product: string, advice: string): ForeignFault => ({
  code: 'foreign_format',
  message: `This is ${product}. ${advice}`,
});
const WRITE_BY_HAND_ADVICE = 'It cannot be imported. Write a plan with the commands that it runs.';

/**
 * Detects other products by the raw text, for texts that are not YAML or only by chance. Null: the text may be a plan
 * or a job.
 */
export function foreignText(content: string): ForeignFault | null {
  const text = content.slice(0, 10_000).replace(/^[\s\uFEFF]+/, '');
  if (text.startsWith('<')) {
    const root = /<(?!\?|!--)([A-Za-z][\w.-]*)/.exec(text.replace(/<!--[\s\S]*?-->/g, ''))?.[1];
    return root === 'joblist' || root === 'job' ? RUNDECK_XML : foreign('XML', 'Send a plan as YAML or JSON.');
  }
  if (text.startsWith('#!')) return foreign('a script', 'Add it to the script library and run it in a step.');
  if (/^(?:(?:\/\/|@Library|import\b|def\b).*\n\s*)*(?:pipeline|node)\s*(?:\([^)\n]*\)\s*)?\{/.test(text))
    return foreign('a Jenkinsfile', WRITE_BY_HAND_ADVICE);
  return null;
}

type Fields = { readonly [name: string]: Tree };

const isFields = (value: Tree | undefined): value is Fields =>
  value !== null && typeof value === 'object' && !Array.isArray(value);
const has = (value: Fields, ...names: string[]): boolean => names.some((name) => Object.hasOwn(value, name));

/** Detects other products by the parsed text. Null: the text may be a plan or a job, according to `reading`. */
export function foreignTree(value: Tree, reading: Reading): ForeignFault | null {
  const [first] = Array.isArray(value) ? value : [value];
  if (!isFields(first)) return null;
  if (has(first, 'sequence') && has(first, 'name'))
    return reading === 'texts' ? null : foreign('a text of Rundeck jobs', 'Import it with the format "rundeck".');
  if (has(first, 'steps')) return reading === 'texts' ? foreign('a plan', 'Import it with the format "plan".') : null;
  return Array.isArray(value) ? foreignList(first) : foreignMap(first);
}

function foreignList(first: Fields): ForeignFault | null {
  const isPlay = has(first, 'hosts') && has(first, 'tasks', 'roles', 'pre_tasks', 'post_tasks', 'vars', 'become');
  return isPlay || has(first, 'import_playbook', 'ansible.builtin.import_playbook')
    ? foreign('an Ansible playbook', WRITE_BY_HAND_ADVICE)
    : null;
}

function foreignMap(value: Fields): ForeignFault | null {
  if (has(value, 'jobs') && has(value, 'on', 'true')) return foreign('a GitHub workflow', WRITE_BY_HAND_ADVICE);
  if (has(value, 'apiVersion') && has(value, 'kind')) return foreign('a Kubernetes object', WRITE_BY_HAND_ADVICE);
  if (isFields(value.services)) return foreign('a Compose file', WRITE_BY_HAND_ADVICE);
  const isJob = (each: Tree) => isFields(each) && has(each, 'script', 'stage', 'trigger', 'extends');
  return has(value, 'stages') || Object.values(value).some(isJob)
    ? foreign('a GitLab pipeline', WRITE_BY_HAND_ADVICE)
    : null;
}
