import {
  ActionIcon,
  Badge,
  Group,
  Paper,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconTrash } from '@tabler/icons-react';
import { VARIABLE_TYPES } from '../../../api/lists';
import type { VariableType } from '../../../api/types';
import { type PlanForm, allowsPattern } from '../form/plan-form';

const MONO = { input: 'rw-mono-family' };

interface Props {
  form: UseFormReturnType<PlanForm>;
  index: number;
  readOnly: boolean;
  /** True: no text of the plan refers to the variable. */
  isUnused: boolean;
  onRemove: () => void;
}

export function VariableCard({ form, index, readOnly, isUnused, onRemove }: Props) {
  const at = `variables.${index}`;
  const type = form.values.variables[index]?.type ?? 'string';
  const label = `Remove variable ${index + 1}`;
  return (
    <Paper p="sm" component="section" aria-label={`Variable ${index + 1}`}>
      <Stack gap="xs">
        <Group gap="sm" align="flex-start" wrap="nowrap">
          <Group gap="sm" align="flex-start" grow preventGrowOverflow={false} flex={1}>
            <TextInput
              label="Name"
              placeholder="RELEASE"
              withAsterisk
              classNames={MONO}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.name`)}
            />
            <Select
              label="Type"
              data={VARIABLE_TYPES}
              allowDeselect={false}
              maw={{ sm: 140 }}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.type`)}
            />
            <DefaultField form={form} index={index} type={type} readOnly={readOnly} />
          </Group>
          {!readOnly && (
            <Tooltip label={label}>
              <ActionIcon variant="subtle" color="gray" mt={22} aria-label={label} onClick={onRemove}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
        <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
          <TextInput label="Description" readOnly={readOnly} {...form.getInputProps(`${at}.description`)} />
          {type === 'choice' && (
            <TagsInput
              label="Allowed values"
              withAsterisk
              readOnly={readOnly}
              acceptValueOnBlur
              {...form.getInputProps(`${at}.choices`)}
            />
          )}
          {allowsPattern(type) && (
            <TextInput
              label="Pattern"
              placeholder="v\d+\.\d+"
              classNames={MONO}
              maw={{ sm: 220 }}
              readOnly={readOnly}
              {...form.getInputProps(`${at}.pattern`)}
            />
          )}
        </Group>
        {isUnused && (
          <Group gap={6} role="note">
            <Badge variant="light" color="yellow" tt="none">
              Not used
            </Badge>
            <Text size="xs" c="dimmed">
              No step refers to it. Scripts, templates and programs of steps may still read it.
            </Text>
          </Group>
        )}
        <Switch
          label="Required at start"
          disabled={readOnly}
          {...form.getInputProps(`${at}.required`, { type: 'checkbox' })}
        />
      </Stack>
    </Paper>
  );
}

function DefaultField({
  form,
  index,
  type,
  readOnly,
}: {
  form: UseFormReturnType<PlanForm>;
  index: number;
  type: VariableType;
  readOnly: boolean;
}) {
  const at = `variables.${index}`;
  const common = { label: 'Default', readOnly, error: form.errors[`${at}.default`] };
  if (type === 'secret') return <TextInput {...common} disabled placeholder="Set at start" />;
  if (type === 'list')
    return (
      <TagsInput
        {...common}
        acceptValueOnBlur
        allowDuplicates
        {...withoutError(form.getInputProps(`${at}.defaultList`))}
      />
    );
  const input = withoutError(form.getInputProps(`${at}.defaultText`)) as {
    value: string;
    onChange: (value: unknown) => void;
  };
  if (type === 'boolean' || type === 'choice') {
    const data = type === 'boolean' ? ['true', 'false'] : [...new Set(form.values.variables[index]?.choices)];
    return (
      <Select
        {...common}
        data={data}
        clearable
        value={input.value || null}
        onChange={(value) => input.onChange(value ?? '')}
      />
    );
  }
  return <TextInput {...common} {...input} />;
}

/** Drops the input's error, because the server reports errors on `default`, which is not the name of the form field. */
function withoutError({ error: _, ...props }: ReturnType<UseFormReturnType<PlanForm>['getInputProps']>) {
  return props;
}
