import type { CreatedEnrolment } from '../../../api/types';

/** User data for cloud-init that has a new machine enrol itself; the user is made where it is not there. */
export function cloudConfig({ command, username }: Pick<CreatedEnrolment, 'command' | 'username'>): string {
  const lines = [
    '#cloud-config',
    ...(username === 'root' ? [] : ['users:', '  - default', `  - name: ${quoted(username)}`, '    shell: /bin/sh']),
    'runcmd:',
    '  - |',
    ...command.split('\n').map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** A text of JSON is one of YAML, also where the text looks like a number. */
const quoted = (text: string): string => JSON.stringify(text);
