import { NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import type { StepFieldsProps } from './step-field';

const POLICIES = [
  { value: '', label: 'As the plan says' },
  { value: 'stop', label: 'Stop the run' },
  { value: 'continue', label: 'Go on with the hosts that are left' },
];
const BACKOFFS = [
  { value: 'constant', label: 'The same each time' },
  { value: 'exponential', label: 'Twice as long each time' },
];

const whole = { allowDecimal: false, hideControls: true } as const;

export function StepFailure({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const gate = form.values.steps[index]?.type === 'gate';
  const retries = form.values.steps[index]?.retries.count !== '';
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm" verticalSpacing="sm">
        <NumberInput
          label={gate ? 'Waits at most' : 'Time limit per host'}
          placeholder="The usual one"
          suffix=" s"
          min={1}
          {...whole}
          readOnly={readOnly}
          {...form.getInputProps(`${at}.timeoutSeconds`)}
        />
        {!gate && (
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
                  label="Pause before a retry"
                  placeholder="0 s"
                  suffix=" s"
                  min={0}
                  max={3600}
                  {...whole}
                  readOnly={readOnly}
                  {...form.getInputProps(`${at}.retries.delaySeconds`)}
                />
                <Select
                  label="The pause is"
                  data={BACKOFFS}
                  allowDeselect={false}
                  readOnly={readOnly}
                  {...form.getInputProps(`${at}.retries.backoff`)}
                />
              </>
            )}
            <NumberInput
              label="Hosts that may fail"
              placeholder="As the plan says"
              suffix=" %"
              min={0}
              max={100}
              {...whole}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.maxFailPercent`)}
            />
            <Select
              label="When more fail"
              data={POLICIES}
              allowDeselect={false}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.onFailure`)}
            />
          </>
        )}
      </SimpleGrid>
      <Switch
        label="Run it even after a failure"
        description="For cleaning up; also on hosts that failed. Not after a cancel."
        disabled={readOnly}
        {...form.getInputProps(`${at}.always`, { type: 'checkbox' })}
      />
    </Stack>
  );
}
