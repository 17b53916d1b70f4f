import { describe, expect, it } from '@jest/globals';
import { readRunContent } from '../record/run-content.js';
import { indexReadableSteps, listStepReferences } from './step-references.js';

const plan = (last: object, variables: object[] = []) =>
  readRunContent({
    variables,
    steps: [
      { key: 'build', type: 'command', command: 'true', outputs: ['version', 'version-2'] },
      { key: 'build-2', type: 'command', command: 'true', outputs: ['version'] },
      { key: 'last', type: 'command', command: 'true', ...last },
    ],
  });
const LIBRARY = {
  scripts: {},
  templates: { t: { name: 't', revision: 1, content: '{{ steps.build.outputs.version }}' } },
};
const of = (last: object, variables?: object[]) =>
  listStepReferences(indexReadableSteps({ plan: plan(last, variables) }), 2, LIBRARY);

describe('references to earlier steps', () => {
  it.each([
    ['in its command', { command: 'echo {{ steps.build.outputs.version }}' }, [['build', ['version']]]],
    ['by a name in brackets', { command: '{{ steps["build-2"].outputs["version"] }}' }, [['build-2', ['version']]]],
    ['by a name that begins like another one', { command: '{{ steps.build-2.status }}' }, [['build-2', []]]],
    [
      'by an output that begins like another one',
      { when: 'steps.build.outputs["version-2"] == "1"' },
      [['build', ['version-2']]],
    ],
    ['in its condition', { when: 'steps.build.changed' }, [['build', []]]],
    ['in unless', { unless: 'test {{ steps.build.exitCode }} = 0' }, [['build', []]]],
    ['in its check', { check: 'test {{ steps.build.exitCode }} = 0' }, [['build', []]]],
    ['as a handler', { onlyIfChanged: ['build-2'] }, [['build-2', []]]],
    ['in an argument', { type: 'script', scriptId: 's', arguments: ['{{ steps.build.status }}'] }, [['build', []]]],
    ['in its template', { type: 'template', templateId: 't', path: '/x' }, [['build', ['version']]]],
    ['nowhere', { command: 'echo build steps' }, []],
  ])('are found %s', (_, last, found) => {
    expect(of(last).map(({ key, outputs }) => [key, outputs])).toEqual(found);
  });

  it('are not found if a variable of the plan has the name `steps`', () => {
    expect(of({ command: '{{ steps.build.status }}' }, [{ name: 'steps', type: 'string' }])).toEqual([]);
  });
});
