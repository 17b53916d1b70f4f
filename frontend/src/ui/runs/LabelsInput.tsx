import { TagsInput, type TagsInputProps } from '@mantine/core';

/** Input for labels as `key=value`. Only Enter completes a label, because values may contain commas. */
export const LabelsInput = (props: Omit<TagsInputProps, 'data' | 'splitChars' | 'acceptValueOnBlur'>) => (
  <TagsInput placeholder="release=2.4.1" splitChars={[]} acceptValueOnBlur {...props} />
);
