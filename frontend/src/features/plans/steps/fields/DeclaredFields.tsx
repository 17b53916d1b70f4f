import { Checkbox, Group, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import type { DeclaredField } from '../../form/types/step-type';
import type { OwnRow } from '../../form/types/step-types';
import { NameField } from '../../names/NameField';
import { namesFor } from '../../names/names';
import { MONO, type StepFieldsProps } from './step-field';

interface Props extends StepFieldsProps {
  fields: readonly DeclaredField<OwnRow>[];
}

/** Draws fields from their declarations: short ones beside each other. */
export function DeclaredFields({ fields, ...props }: Props) {
  const inputs = fields.map((field) => <DeclaredInput key={field.name} field={field} {...props} />);
  if (fields.every(({ kind }) => kind === 'number' || kind === 'line'))
    return (
      <Group gap="sm" align="flex-start" grow preventGrowOverflow={false}>
        {inputs}
      </Group>
    );
  return <Stack gap="sm">{inputs}</Stack>;
}

function DeclaredInput({
  field: { name, kind, label, description, placeholder, required, min, max, minRows = 1, maxRows = 8 },
  form,
  index,
  readOnly,
}: StepFieldsProps & { field: DeclaredField<OwnRow> }) {
  const path = `steps.${index}.${name}`;
  const common = { label, description, readOnly, withAsterisk: required };
  const rows = { minRows, maxRows };
  switch (kind) {
    case 'number':
      return (
        <NumberInput
          {...common}
          placeholder={placeholder}
          min={min}
          max={max}
          allowDecimal={false}
          hideControls
          maw={{ sm: 240 }}
          {...form.getInputProps(path)}
        />
      );
    case 'line':
      return <TextInput {...common} placeholder={placeholder} classNames={MONO} {...form.getInputProps(path)} />;
    case 'lines':
      return <Textarea {...common} placeholder={placeholder} autosize {...rows} {...form.getInputProps(path)} />;
    case 'flag':
      return (
        <Checkbox
          label={label}
          description={description}
          disabled={readOnly}
          {...form.getInputProps(path, { type: 'checkbox' })}
        />
      );
    case 'template':
      return (
        <NameField
          {...common}
          names={namesFor(form.values, index)}
          grammar="text"
          multiline
          placeholder={placeholder}
          {...rows}
          {...form.getInputProps(path)}
        />
      );
  }
}
