import { NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import type { PlanStep } from '../../../api/types';
import { optionsOf } from '../../../ui/forms/options';
import { FAILURE_POLICIES, type StepFieldsProps } from './fields/step-field';
import { formType } from '../form/types/step-types';

const POLICIES = [{ value: '', label: 'As set in the plan' }, ...optionsOf(FAILURE_POLICIES)];
const BACKOFFS: Record<NonNullable<PlanStep['retries']>['backoff'], string> = {
  constant: 'Constant',
  exponential: 'Doubled each time',
};

const whole = { allowDecimal: false, hideControls: true } as const;

export function StepFailure({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const step = form.values.steps[index];
  const pause = step !== undefined && formType(step.type).runs === 'pause';
  const retries = step?.retries.count !== '';
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
        <NumberInput
          label={pause ? 'Maximum wait' : 'Time limit per host'}
          placeholder="Default"
          suffix=" s"
          min={1}
          {...whole}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.timeoutSeconds`)}
        />
        {!pause && (
          <>
            <NumberInput
              label="Retries per host"
              placeholder="None"
              min={1}
              max={20}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.retries.count`)}
            />
            {retries && (
              <>
                <NumberInput
                  label="Delay before a retry"
                  placeholder="0 s"
                  suffix=" s"
                  min={0}
                  max={3600}
                  {...whole}
                  readOnly={readOnly}
                  {...form.getInputProps(`${at}.retries.delaySeconds`)}
                />
                <Select
                  label="Backoff"
                  data={optionsOf(BACKOFFS)}
                  allowDeselect={false}
                  readOnly={readOnly}
                  {...form.getInputProps(`${at}.retries.backoff`)}
                />
              </>
            )}
            <NumberInput
              label="Maximum failed hosts"
              placeholder="As set in the plan"
              suffix=" %"
              min={0}
              max={100}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.maxFailPercent`)}
            />
            <Select
              label="If more hosts fail"
              data={POLICIES}
              allowDeselect={false}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.onFailure`)}
            />
          </>
        )}
      </SimpleGrid>
      <Switch
        label="Always run"
        description="For cleanup. Runs after a failure, also on failed hosts, but not after a cancel."
        disabled={readOnly}
        {...form.getInputProps(`${at}.always`, { type: 'checkbox' })}
      />
    </Stack>
  );
}
