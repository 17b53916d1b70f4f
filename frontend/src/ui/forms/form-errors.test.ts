import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem } from '../../api/errors';
import { assignErrors, pointerParts, showErrorOnFields, showErrorOnForm } from './form-errors';

const item = (path: string, message = `fault at ${path}`) => ({ path, code: 'invalid', message });
const fields = ['name', 'steps.0.command', 'steps.0.okExitCodes', 'a/b'];
const isField = (path: string) => fields.includes(path);

describe('errors of a form', () => {
  it('point at fields by JSON pointers with escaped names', () => {
    expect(pointerParts('/steps/0/a~1b~0c')).toEqual(['steps', '0', 'a/b~c']);
    expect(pointerParts('/~01')).toEqual(['~1']);
    expect(pointerParts('')).toEqual([]);
  });

  it('stand on their fields, and on the nearest field when they point deeper', () => {
    const { fields: found, rest } = assignErrors(
      [item('/name'), item('/steps/0/okExitCodes/3'), item('/a~1b')],
      isField,
    );
    expect(Object.keys(found)).toEqual(['name', 'steps.0.okExitCodes', 'a/b']);
    expect(rest).toEqual([]);
  });

  it('stand together when a field has several', () => {
    expect(assignErrors([item('/name', 'Too long.'), item('/name', 'Taken.')], isField).fields).toEqual({
      name: 'Too long. Taken.',
    });
  });

  it('are kept aside when no field is theirs', () => {
    const lost = [item(''), item('/steps/1/command'), item('?selector')];
    expect(assignErrors(lost, isField)).toEqual({ fields: {}, rest: lost });
  });
});

describe('a refusal on a form', () => {
  const refusal = (...paths: string[]) =>
    new ApiProblem({ status: 422, code: 'invalid', detail: 'No.', errors: paths.map((path) => item(path)) });
  const setErrors = vi.fn();

  beforeEach(() => {
    setErrors.mockClear();
    vi.stubGlobal('requestAnimationFrame', vi.fn());
  });

  it('leaves nothing to show beside the fields when each error has one', () => {
    expect(showErrorOnForm({ setErrors }, refusal('/name'), isField)).toBeNull();
    expect(setErrors).toHaveBeenCalledWith({ name: 'fault at /name' });
  });

  it('is shown as a whole when an error has no field, or when it names none', () => {
    const partly = refusal('/name', '/other');
    expect(showErrorOnForm({ setErrors }, partly, isField)).toBe(partly);
    expect(setErrors).toHaveBeenCalledWith({ name: 'fault at /name' });
    const conflict = refusal();
    expect(showErrorOnForm({ setErrors }, conflict, isField)).toBe(conflict);
  });

  it('stands on the form field that has another name in the request', () => {
    const fieldOf = (path: string) => (path === 'everySeconds' ? 'every' : null);
    expect(showErrorOnFields({ setErrors }, refusal('/everySeconds'), fieldOf)).toBeNull();
    expect(setErrors).toHaveBeenCalledWith({ every: 'fault at /everySeconds' });
    const other = refusal('/name');
    expect(showErrorOnFields({ setErrors }, other, fieldOf)).toBe(other);
  });

  it('clears what an earlier refusal has left on the fields', () => {
    showErrorOnForm({ setErrors }, new TypeError('Failed to fetch'), isField);
    expect(setErrors).toHaveBeenCalledWith({});
  });
});
