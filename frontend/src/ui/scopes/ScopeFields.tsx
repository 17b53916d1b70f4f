import { Alert, MultiSelect, Radio, Stack } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { TOKEN_ACCESS } from '../../api/lists';
import { ACCESS_MEANINGS, ACCESS_NAMES, plansWithoutEnvironment, type ScopeChoice, scopeSentence } from './scope-words';
import { useScopeNames } from './useScopeNames';

interface Props {
  value: ScopeChoice;
  onChange: (value: ScopeChoice) => void;
  errors?: { environmentIds?: ReactNode; planIds?: ReactNode };
}

export function ScopeFields({ value, onChange, errors = {} }: Props) {
  const { environments, plans, error } = useScopeNames();
  const [unbound] = plansWithoutEnvironment(value, plans.items);
  const failed = error ? 'The options could not be loaded.' : undefined;
  /** Adds selected values that are not among the options. */
  const withChosenOptions = (choices: { value: string; label: string }[], chosen: readonly string[]) => [
    ...choices,
    ...chosen.filter((id) => !choices.some((choice) => choice.value === id)).map((id) => ({ value: id, label: id })),
  ];
  const everywhere =
    value.planIds.length === 0 ? 'All that the member can view' : 'The environments of the selected plans';
  return (
    <Stack gap="sm">
      <Radio.Group label="Access" value={value.access} onChange={(access) => onChange({ ...value, access })}>
        <Stack gap={8} mt={6}>
          {TOKEN_ACCESS.map((access) => (
            <Radio key={access} value={access} label={ACCESS_NAMES[access]} description={ACCESS_MEANINGS[access]} />
          ))}
        </Stack>
      </Radio.Group>
      <MultiSelect
        label="Environments"
        description={unbound && `${unbound} has no environment. Choose where the token may start it.`}
        withAsterisk={unbound !== undefined}
        placeholder={value.environmentIds.length === 0 ? everywhere : undefined}
        data={withChosenOptions(environments.choices, value.environmentIds)}
        value={value.environmentIds}
        onChange={(environmentIds) => onChange({ ...value, environmentIds })}
        error={errors.environmentIds ?? failed}
        maxValues={100}
        searchable
        clearable
      />
      <MultiSelect
        label="Plans"
        // The open list does not cover the buttons below.
        comboboxProps={{ position: 'top' }}
        placeholder={value.planIds.length === 0 ? 'All that the member can view' : undefined}
        data={withChosenOptions(plans.choices, value.planIds)}
        value={value.planIds}
        onChange={(planIds) => onChange({ ...value, planIds })}
        error={errors.planIds ?? failed}
        maxValues={100}
        searchable
        clearable
      />
      <Alert color="gray" icon={<IconEye aria-hidden />} aria-live="polite">
        {scopeSentence(value, environments.names, plans.names)}
      </Alert>
    </Stack>
  );
}
