import type { FunctionComponent } from 'react';
import type { StepType } from '../../../api/types';
import { formType } from '../form/types/step-types';
import { namesFor } from '../names/names';
import { CallFields } from './CallFields';
import { DeclaredFields } from './DeclaredFields';
import { FileFields } from './FileFields';
import { ScriptFields } from './ScriptFields';
import type { StepFieldsProps } from './step-field';
import { TemplateFields } from './TemplateFields';

interface OwnFieldsProps {
  input: (field: string, options?: { type: 'checkbox' }) => object;
  names: ReturnType<typeof namesFor>;
  readOnly: boolean;
}

/** Forms of types whose fields depend on each other or on records. All other types declare their fields. */
const FORMS: Partial<Record<StepType, FunctionComponent<OwnFieldsProps & StepFieldsProps>>> = {
  script: ScriptFields,
  template: TemplateFields,
  file: FileFields,
  plan: CallFields,
};

export function StepContentFields({ form, index, readOnly }: StepFieldsProps) {
  const type = form.values.steps[index]?.type ?? 'command';
  const Form = FORMS[type];
  if (!Form)
    return <DeclaredFields fields={formType(type).fields ?? []} form={form} index={index} readOnly={readOnly} />;
  const input: OwnFieldsProps['input'] = (field, options) => form.getInputProps(`steps.${index}.${field}`, options);
  return <Form form={form} index={index} readOnly={readOnly} input={input} names={namesFor(form.values, index)} />;
}
