import type { VariableValue } from '../../variables/variable-value.js';
import { toHostSecretKey } from './host-values.js';

export class HostSecretPool {
  private readonly places = new Map<string, string>();
  private readonly counts = new Map<string, number>();
  readonly values: Record<string, VariableValue> = {};

  addSecret(name: string, value: VariableValue): string {
    const text = `${name} ${JSON.stringify(value)}`;
    const known = this.places.get(text);
    if (known !== undefined) return known;
    const n = this.counts.get(name) ?? 0;
    this.counts.set(name, n + 1);
    const key = toHostSecretKey(name, n);
    this.places.set(text, key);
    this.values[key] = value;
    return key;
  }
}
