import { expect, it } from '@jest/globals';
import { RUN_MODES } from '../../environments/environments.dto.js';
import { EXECUTION_MODES } from '../lifecycle/statuses.js';

it('lets an environment name every mode that a run can be started in', () => {
  expect(RUN_MODES).toEqual(expect.arrayContaining([...EXECUTION_MODES]));
});
