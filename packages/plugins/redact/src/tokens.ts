/** Detectors of tokens that are known by their spelling: keys of clouds and services, signed tokens, headers, URLs. */
import { detectorOf, isBlank, type Detector } from './detector.js';

const hasDigit = (text: string): boolean => /\d/.test(text);
const isMixed = (text: string): boolean => hasDigit(text) && /[A-Za-z]/.test(text);

/** Of `user:password` in base64. */
function isBasic(secret: string): boolean {
  if (isBlank(secret)) return false;
  const text = Buffer.from(secret, 'base64').toString('latin1');
  return /^[\x20-\x7e]+$/.test(text) && text.includes(':');
}

export const tokenDetectors: readonly Detector[] = [
  detectorOf('aws-key', [
    {
      hints: ['AKIA', 'ASIA', 'ABIA', 'ACCA'],
      pattern: /(?<![A-Za-z0-9])A(?:KI|SI|BI|CC)A[A-Z0-9]{16}(?![A-Za-z0-9])/g,
    },
  ]),
  detectorOf('google-key', [
    { hints: ['AIza'], pattern: /(?<![A-Za-z0-9])AIza[\w-]{35}/g },
    { hints: ['ya29.'], pattern: /(?<![A-Za-z0-9])ya29\.[\w.-]{20,1024}/g },
    { hints: ['GOCSPX-'], pattern: /GOCSPX-[\w-]{20,64}/g },
  ]),
  detectorOf('azure-key', [
    {
      hints: ['AccountKey=', 'SharedAccessKey='],
      pattern: /((?:AccountKey|SharedAccessKey)=)([A-Za-z0-9+/]{40,128}={0,2})/g,
    },
    { hints: ['sig='], pattern: /([?&]sig=)([A-Za-z0-9%+/]{40,128}={0,2})/g },
  ]),
  detectorOf('github-token', [
    { hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], pattern: /gh[pousr]_[A-Za-z0-9]{36,255}/g },
    { hints: ['github_pat_'], pattern: /github_pat_\w{22,255}/g },
  ]),
  detectorOf('gitlab-token', [
    { hints: ['gl'], pattern: /(?<![A-Za-z0-9])gl(?:pat|ptt|dt|rt|soat|cbt)-[\w-]{20,255}/g },
  ]),
  detectorOf('slack-token', [
    { hints: ['xox', 'xapp-'], pattern: /(?<![A-Za-z0-9])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{10,255}/g, isSecret: hasDigit },
    { hints: ['hooks.slack.com/'], pattern: /(hooks\.slack\.com\/services\/)([A-Za-z0-9/]{20,128})/g },
  ]),
  detectorOf('anthropic-key', [{ hints: ['sk-ant-'], pattern: /sk-ant-[\w-]{20,255}/g }]),
  detectorOf('openai-key', [{ hints: ['sk-'], pattern: /(?<![A-Za-z0-9])sk-[\w-]{20,255}/g, isSecret: isMixed }]),
  detectorOf('stripe-key', [
    { hints: ['k_live_', 'k_test_'], pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}/g },
    { hints: ['whsec_'], pattern: /whsec_[A-Za-z0-9+/]{24,128}={0,2}/g },
  ]),
  detectorOf('package-token', [
    { hints: ['npm_'], pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,64}/g },
    { hints: ['pypi-'], pattern: /(?<![A-Za-z0-9])pypi-[\w-]{50,512}/g },
  ]),
  detectorOf('service-token', [
    { hints: ['hf_'], pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,64}/g },
    { hints: ['SG.'], pattern: /(?<![A-Za-z0-9])SG\.[\w-]{16,64}\.[\w-]{16,64}/g },
    { hints: ['SK'], pattern: /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g },
    { hints: ['_v1_'], pattern: /do[opr]_v1_[0-9a-f]{64}/g },
    { hints: ['shp'], pattern: /(?<![A-Za-z0-9])shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g },
    { hints: [':AA'], pattern: /(?<!\d)\d{8,10}:AA[\w-]{33}/g },
    { hints: ['hvs.', 'hvb.'], pattern: /(?<![A-Za-z0-9])hv[sb]\.[\w-]{24,512}/g },
    { hints: ['dapi'], pattern: /(?<![A-Za-z0-9])dapi[0-9a-f]{32}/g },
    { hints: ['lin_api_'], pattern: /lin_api_[A-Za-z0-9]{32,64}/g },
    { hints: ['AGE-SECRET-KEY-'], pattern: /AGE-SECRET-KEY-1[A-Z0-9]{50,64}/g },
    { hints: ['/api/webhooks/'], pattern: /(\/api\/webhooks\/\d{5,25}\/)([\w-]{40,128})/g },
  ]),
  // each segment begins behind a point, which none of them has: each character is looked at three times at most
  detectorOf('jwt', [{ hints: ['eyJ'], pattern: /(?<![\w-])eyJ[\w-]{8,}(?:\.[\w-]*){2,4}/g }]),
  detectorOf('auth-header', [
    {
      pattern:
        /(authorization["'\\]{0,4}[ \t]{0,8}[:=][ \t]{0,8}["'\\]{0,4}(?:(?:basic|bearer|token|digest|apikey)[ \t]{1,8})?)([^\s"'\\,;]{6,4096})/gi,
      isSecret: (secret, front) =>
        !isBlank(secret) && (hasDigit(secret) || /(?:basic|bearer|token|digest|apikey)[ \t]+$/i.test(front)),
    },
    {
      pattern: /(?<![A-Za-z0-9])(bearer[ \t]{1,8})([\w.~+/-]{16,4096}={0,2})/gi,
      isSecret: (secret) => hasDigit(secret) || secret.length >= 40,
    },
    { pattern: /(?<![A-Za-z0-9])(basic[ \t]{1,8})([A-Za-z0-9+/]{8,4096}={0,2})/gi, isSecret: isBasic },
  ]),
  detectorOf('connection-string', [
    {
      hints: ['://'],
      pattern: /(?<![a-z0-9])([a-z][a-z0-9+.-]{1,30}:\/\/[^\s:@/"'`<>\\]{0,256}:)([^\s/"'`<>\\]{1,256})(?=@)/gi,
      isSecret: (secret) => !isBlank(secret),
    },
  ]),
];
