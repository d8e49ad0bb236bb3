import { describe, expect, it } from 'vitest';
import { canonicalJson, digestOf } from '../src/door/canonical.js';
import { plainJson } from '../src/door/plain-json.js';

/** https://www.rfc-editor.org/rfc/rfc8785#appendix-B */
const numbers: readonly (readonly [string, string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];
const fromBits = (hex: string): number => Buffer.from(hex, 'hex').readDoubleBE();
const canonical = (json: string): string => canonicalJson(plainJson(JSON.parse(json)));

describe('canonical JSON', () => {
  it.each(numbers)('writes the number of the bits %s as %s', (bits, text) => {
    expect(canonicalJson(plainJson(fromBits(bits)))).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])('has no text for the bits %s', (bits) => {
    expect(() => plainJson(fromBits(bits))).toThrow(/the number/);
  });

  // https://github.com/cyberphone/json-canonicalization/tree/master/testdata
  it('gives the published text for each published input', () => {
    expect(
      canonical(
        String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
      ),
    ).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
    expect(canonical('{"1":{"f":{"f":"hi","F":5},"\\n":56.0},"10":{},"":"empty","a":{},"111":[{}],"A":{}}')).toBe(
      '{"":"empty","1":{"\\n":56,"f":{"F":5,"f":"hi"}},"10":{},"111":[{}],"A":{},"a":{}}',
    );
    expect(canonical('[56,{"d":true,"10":null,"1":[]}]')).toBe('[56,{"1":[],"10":null,"d":true}]');
    expect(canonical('{"peach":1,"péché":2,"pêche":3,"sin":4}')).toBe('{"peach":1,"péché":2,"pêche":3,"sin":4}');
    expect(canonical(String.raw`{"Unnormalized Unicode":"A\u030a"}`)).toBe('{"Unnormalized Unicode":"A\u030a"}');
  });

  it('sorts keys by UTF-16 code units, not by code points', () => {
    const text = canonical(
      String.raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji","\u0080":"Control","\u00f6":"o"}`,
    );
    expect(text.match(/:"[^"]+"/g)).toEqual([
      ':"Carriage Return"',
      ':"One"',
      ':"Control"',
      ':"o"',
      ':"Euro Sign"',
      ':"Emoji"',
      ':"Hebrew Letter Dalet With Dagesh"',
    ]);
  });

  it('gives one digest for one value, however it was spelled', () => {
    expect(digestOf({ a: 1, b: [1, 2] })).toBe(digestOf({ b: [1.0, 2], a: 1 }));
    expect(digestOf({ a: 1 })).not.toBe(digestOf({ a: '1' }));
    // printf '{"a":1}' | sha256sum
    expect(digestOf({ a: 1 })).toBe('015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862');
  });
});
