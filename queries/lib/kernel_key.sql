/* ---
name = "kernel_key"
version = 1
title = "What names of device work are compared by where profilers spell one name differently"
help = """
One row for each name. Compilers' tools print one and the same kernel in several ways: GNU's and
LLVM's demanglers, which PyTorch's profiler and ROCm use, write
`void f<4, true, g(T&)::{lambda(float)#1}, Array<char*, 3ul> >(float const*)`, NVIDIA's, which Nsight
Systems uses, `void f<(int)4, (bool)1, g(T &)::[lambda(float) (instance 1)], Array<char *, (unsigned
long)3>>(const T4 *)`.

spelling is without spaces that part no words, return type, casts and suffixes of numbers, const and
__restrict__, and has one way to write truth values, lambdas and nameless namespaces. signature is that
without parameter lists, but for those of lambdas, since NVIDIA writes T1 there for a template's
argument: functions that differ in their parameters alone have one. base_name is the last part of the name without template arguments:
some profilers record no more. Of copies the signature is the direction, of memsets that they are; these
have no base_name.
"""
grain = ["kind", "class", "name"]
requires = { schema = ">=13" }
portable = false

[[column]]
name = "kind"
type = "VARCHAR"
unit = "text"
help = "kernel, memcpy or memset"

[[column]]
name = "class"
type = "VARCHAR"
unit = "text"
help = "compute, communication or memory"

[[column]]
name = "name"
type = "VARCHAR"
unit = "text"
help = "The name as the source has it; (no name) where it has none"

[[column]]
name = "mangled"
type = "VARCHAR"
unit = "text"
nullable = true
help = "The name as the linker knows it, where a source says it; NULL: none does"

[[column]]
name = "spelling"
type = "VARCHAR"
unit = "text"
help = "The whole name in one spelling"

[[column]]
name = "signature"
type = "VARCHAR"
unit = "text"
help = "spelling without lists of parameters; of a copy its direction"

[[column]]
name = "base_name"
type = "VARCHAR"
unit = "text"
nullable = true
help = "Name without namespaces, template arguments and parameters; NULL: no kernel"

[changes]
1 = "first version"
--- */
WITH named AS (
  SELECT
    kind,
    class,
    coalesce(name, '(no name)') AS name,
    min(mangled_name) AS mangled_name,
    -- What compilers put behind a symbol: clones, and AMD's kernel descriptor
    regexp_replace(
      coalesce(name, '(no name)'), '(\s*\[clone [^\]]*\]|\.kd|\.isra\.\d+|\.constprop\.\d+)+$', ''
    ) AS bare
  FROM gpu_op
  WHERE kind <> 'sync'
  GROUP BY kind, class, coalesce(name, '(no name)')
),
marked AS (
  SELECT
    *,
    -- Each line one spelling of many; parentheses that are no parameters go first.
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            regexp_replace(
              regexp_replace(
                replace(replace(replace(bare,
                  '(anonymous namespace)', 'anonymous'),
                  '{anonymous}', 'anonymous'),
                  '<unnamed>', 'anonymous'),
                '\s*\(instance (\d+)\)', '#\1', 'g'),
              'operator ?\(\)', 'operator@call', 'g'),
            '\([A-Za-z_][\w:<>, ]*\)(-?\d)', '\1', 'g'),
          '\b(\d+)(?:ull|ul|ll|u|l)\b', '\1', 'g'),
        '&\(([^()]*)(?:\([^()]*\))*\)', '&\1', 'g'),
      '\b(?:const|__restrict__|__restrict)\b', '', 'g') AS text
  FROM named
),
spelled AS (
  SELECT
    *,
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            -- LLVM counts lambdas: 'lambda', 'lambda0', 'lambda1', where GNU says #1, #2, #3.
            list_reduce(
              range(10),
              lambda done, n: regexp_replace(
                done, '''lambda' || n || '''\(([^()]*)\)', '[lambda(\1)#' || (n + 2) || ']', 'g'
              ),
              regexp_replace(
                translate(text, '{}', '[]'), '''lambda''\(([^()]*)\)', '[lambda(\1)#1]', 'g'
              )
            ),
            '\bvoid (\w)', '\1', 'g'),
          '\btrue\b', '1', 'g'),
        '\bfalse\b', '0', 'g'),
      '\s*([^\w\s])\s*', '\1', 'g') AS spelling
  FROM marked
),
signed AS (
  SELECT
    *,
    regexp_replace(
      regexp_replace(
        list_reduce(
          range(20),
          lambda left_over, n: regexp_replace(left_over, '\([^()]*\)', '', 'g'),
          -- Two lambdas of one function may differ in nothing but what they take.
          regexp_replace(spelling, '\[lambda\(([^()]*)\)', '[lambda:\1', 'g')
        ),
        '^std::enable_if<.*?>::type ', ''),
      '\s*([^\w\s])\s*', '\1', 'g') AS signature
  FROM spelled
)
SELECT
  kind,
  class,
  name,
  CASE WHEN starts_with(bare, '_Z') THEN bare ELSE mangled_name END AS mangled,
  spelling,
  CASE
    WHEN kind = 'memset' THEN 'memset'
    WHEN kind = 'memcpy'
    THEN 'memcpy' || coalesce(
      ' ' || nullif(
        upper(
          regexp_replace(
            lower(name), '.*([hdpa])(?:ost|evice|eer|rray)?[-_ ]?to[-_ ]?([hdpa]).*', '\1to\2'
          )
        ),
        upper(lower(name))
      ),
      ''
    )
    ELSE signature
  END AS signature,
  CASE
    WHEN kind = 'kernel'
    THEN nullif(
      regexp_extract(
        list_reduce(
          range(20), lambda left_over, n: regexp_replace(left_over, '<[^<>]*>', '', 'g'), signature
        ),
        '([^: ]*)$',
        1
      ),
      ''
    )
  END AS base_name
FROM signed
