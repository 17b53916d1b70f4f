import { Select, SimpleGrid, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { planChoicesQuery, planQuery } from '../../../../api/queries/plans/plans';
import type { PlanVariable, VariableValue } from '../../../../api/types';
import { AnchorLink } from '../../../../ui/page/links';
import { callValue } from '../../form/types/call';
import { NameField } from '../../names/NameField';
import { NameTags } from '../../names/NameTags';
import { type Names, namesFor } from '../../names/names';
import { MONO, type StepFieldsProps } from './step-field';

export function CallFields({ form, index, readOnly }: StepFieldsProps) {
  const at = `steps.${index}`;
  const planId = form.values.steps[index]?.planId ?? '';
  const { data, error } = useQuery(planChoicesQuery);
  const { error: fieldError, ...chosen } = form.getInputProps(`${at}.planId`) as { error?: string };
  return (
    <>
      <Select
        label="Plan"
        description="Inserts the steps of the plan, with the approval and locks of this plan. A run uses the latest revision at its start."
        withAsterisk
        searchable
        data={(data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        readOnly={readOnly}
        error={fieldError ?? (error ? 'The plans could not be loaded.' : undefined)}
        {...chosen}
      />
      {planId !== '' && <CalledPlan form={form} index={index} readOnly={readOnly} planId={planId} />}
    </>
  );
}

function CalledPlan({ form, index, readOnly, planId }: StepFieldsProps & { planId: string }) {
  const { data: plan } = useQuery(planQuery(planId));
  if (!plan) return null;
  const at = `steps.${index}`;
  const values = form.values.steps[index]?.variables ?? {};
  const names = namesFor(form.values, index);
  const give = (name: string, value: VariableValue | undefined) => {
    const { [name]: _, ...rest } = values;
    form.setFieldValue(`${at}.variables`, value === undefined ? rest : { ...rest, [name]: value });
    form.clearFieldError(`${at}.variables.${name}`);
  };
  const outputs = plan.steps.flatMap(({ key, outputs: names, outputsFrom }) =>
    [...(names ?? []), ...Object.keys(outputsFrom ?? {})].map((name) => `${key}.${name}`),
  );
  const unknown = Object.keys(values).filter((name) => plan.variables.every((each) => each.name !== name));
  return (
    <>
      <Text size="xs" c="dimmed">
        {plan.steps.length === 1 ? 'One step' : `${plan.steps.length} steps`} of{' '}
        <AnchorLink to="/plans/$id" params={{ id: planId }}>
          {plan.name}
        </AnchorLink>
        . The value <code>{'{{ name }}'}</code> passes a variable of this plan, including secrets.
      </Text>
      {plan.variables.length + unknown.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" verticalSpacing="sm">
          {plan.variables.map((variable) => (
            <CallValue
              key={variable.name}
              variable={variable}
              names={names}
              value={values[variable.name]}
              onChange={(value) => give(variable.name, value)}
              error={form.errors[`${at}.variables.${variable.name}`]}
              readOnly={readOnly}
            />
          ))}
          {unknown.map((name) => (
            <TextInput
              key={name}
              label={name}
              description="The called plan no longer has this variable. Clear the field to remove it."
              value={String(values[name])}
              onChange={(event) => give(name, event.currentTarget.value || undefined)}
              error={form.errors[`${at}.variables.${name}`]}
              readOnly={readOnly}
            />
          ))}
        </SimpleGrid>
      )}
      <Textarea
        label="Outputs"
        description={
          outputs.length > 0
            ? `One name=step.output per line. Available: ${outputs.slice(0, 10).join(', ')}.`
            : 'One name=step.output per line. The steps of the plan set no outputs.'
        }
        autosize
        minRows={1}
        maxRows={8}
        classNames={MONO}
        spellCheck={false}
        readOnly={readOnly}
        {...form.getInputProps(`${at}.outputsFrom`)}
      />
    </>
  );
}

interface CallValueProps {
  variable: PlanVariable;
  names: Names;
  value: VariableValue | undefined;
  onChange: (value: VariableValue | undefined) => void;
  error: unknown;
  readOnly: boolean;
}

function CallValue({ variable, names, value, onChange, error, readOnly }: CallValueProps) {
  const { name, type, description, required } = variable;
  const common = {
    label: name,
    description: description || `${type}${required ? ', required' : ''}`,
    error: typeof error === 'string' ? error : undefined,
    readOnly,
  };
  if (type === 'list' && typeof value !== 'string')
    return (
      <NameTags
        {...common}
        names={names}
        grammar="value"
        placeholder={value ? undefined : placeholderOf(variable)}
        value={Array.isArray(value) ? value.map(String) : []}
        onChange={(items) => {
          const [only] = items;
          const isReference = items.length === 1 && only !== undefined && /^\{\{.*\}\}$/.test(only);
          onChange(items.length === 0 ? undefined : isReference ? only : items);
        }}
      />
    );
  return (
    <NameField
      {...common}
      names={names}
      grammar="value"
      placeholder={placeholderOf(variable)}
      value={value === undefined ? '' : String(value)}
      onChange={(text) => onChange(text === '' ? undefined : callValue(type, text))}
    />
  );
}

const placeholderOf = ({ default: usual }: PlanVariable): string =>
  usual === undefined ? 'Value of the environment, if set' : `Default: ${String(usual)}`;
