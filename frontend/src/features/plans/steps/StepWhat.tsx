import type { FunctionComponent } from 'react';
import type { StepType } from '../../../api/types';
import { formType } from '../form/types/step-types';
import { namesFor } from '../names/names';
import { CallFields } from './fields/CallFields';
import { DeclaredFields } from './fields/DeclaredFields';
import { FileFields } from './fields/FileFields';
import { ScriptFields } from './fields/ScriptFields';
import type { StepFieldsProps } from './fields/step-field';
import { TemplateFields } from './fields/TemplateFields';

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
