import { describe, expect, it } from '@jest/globals';
import runPlanTextTask from '../exchange/plan-text-thread.js';
import type { ConvertedText, ReadText } from '../code/plan-text.js';

const read = (text: string) => runPlanTextTask({ does: 'read', text }) as ReadText;
const convert = (text: string) => runPlanTextTask({ does: 'convert', format: 'rundeck', text }) as ConvertedText;

const JOB =
  '<job>\n    <name>restart</name>\n    <sequence keepgoing="false"><command><exec>ls</exec></command></sequence>\n  </job>';
const LIST = `<joblist>\n  ${JOB}\n</joblist>\n`;
const XML: [string, string][] = [
  ['a list', LIST],
  ['a single job', JOB],
  ['with a declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${LIST}`],
  ['with a byte order mark', `\uFEFF<?xml version="1.0"?>${LIST}`],
  ['with blank lines and indented', `\n\r\n\t  ${LIST}`],
  ['with comments and attributes', `<!-- <plan> -->\n<!-- exported -->\n<joblist a="b">${JOB}</joblist>`],
  ['on one line', LIST.replaceAll('\n', ' ')],
];

describe('Rundeck XML', () => {
  it.each(XML)('is refused with its own code, for plans and for jobs: %s', (_, text) => {
    for (const { faults } of [read(text), convert(text)])
      expect(faults).toEqual([
        {
          code: 'rundeck_xml',
          message: expect.stringMatching(/^This is Rundeck's XML\..*rd jobs list -F yaml -f jobs\.yaml/) as unknown,
          path: '',
          place: { line: 1, column: 1, endLine: 1, endColumn: 1 },
        },
      ]);
  });
});

describe('text of another product', () => {
  it.each([
    ['XML', '<project>\n  <builders/>\n</project>'],
    ['a script', '#!/bin/bash\nset -e\nls\n'],
    ['a Jenkinsfile', '// build\npipeline {\n  agent any\n}\n'],
    ['an Ansible playbook', '- hosts: web\n  become: true\n  tasks:\n    - command: ls\n'],
    ['an Ansible playbook', '- name: Deploy\n  hosts: all\n  roles: [web]\n'],
    ['an Ansible playbook', '- import_playbook: web.yml\n'],
    ['a GitHub workflow', 'name: CI\non: [push]\njobs:\n  build:\n    steps:\n      - run: ls\n'],
    ['a GitLab pipeline', 'stages: [build]\nbuild:\n  script: [ls]\n'],
    ['a GitLab pipeline', 'build:\n  script: [ls]\n'],
    ['a Compose file', 'services:\n  web:\n    image: nginx\n'],
    ['a Kubernetes object', 'apiVersion: v1\nkind: Pod\n'],
  ])('is named as what it is: %s', (product, text) => {
    for (const { faults } of [read(text), convert(text)])
      expect(faults).toMatchObject([
        { code: 'foreign_format', message: expect.stringContaining(`This is ${product}.`) as unknown },
      ]);
  });

  it('is refused with the format to choose if Runward can import it', () => {
    const [jobs] = read('- name: a\n  sequence: {commands: []}\n').faults;
    expect([jobs?.code, jobs?.message]).toEqual(['foreign_format', expect.stringContaining('"rundeck"')]);
    const [plan] = convert('name: a\nsteps:\n  - key: one\n    command: ls\n').faults;
    expect([plan?.code, plan?.message]).toEqual(['foreign_format', expect.stringContaining('"plan"')]);
  });

  it.each([
    'name: a\nsteps:\n  - key: one\n    command: "<joblist>"\n',
    'steps:\n  - key: one\n    command: ls\nname: a\nservices: {}\n',
    '# <joblist>\nname: a\nsteps: []\n',
    '{"name": "a", "steps": []}',
    'name: a\n',
    '',
  ])('is none of them: %j', (text) => {
    expect(read(text).faults).toEqual([]);
  });
});
