"""Special cases of the array API standard 2024.12, as tables, and the numbers that their words stand for.

A line names a function, its operands and the result. Zeros have a sign; "±" means that the standard leaves it open.
Complex numbers are written as their two parts; what holds for z holds for its conjugate, too.
"""

from __future__ import annotations

import math

REAL = """
abs nan nan
abs -0 +0
abs -inf inf
acos nan nan
acos |x|>1 nan
acos 1 +0
acosh nan nan
acosh <1 nan
acosh 1 +0
acosh inf inf
asin nan nan
asin |x|>1 nan
asin +0 +0
asin -0 -0
asinh nan nan
asinh +0 +0
asinh -0 -0
asinh inf inf
asinh -inf -inf
atan nan nan
atan +0 +0
atan -0 -0
atan inf pi/2
atan -inf -pi/2
atanh nan nan
atanh |x|>1 nan
atanh -1 -inf
atanh 1 inf
atanh +0 +0
atanh -0 -0
ceil integer x1
ceil inf inf
ceil -inf -inf
ceil +0 +0
ceil -0 -0
ceil nan nan
ceil ]-1,0[ -0
cos nan nan
cos +0 1
cos -0 1
cos inf nan
cos -inf nan
cosh nan nan
cosh +0 1
cosh -0 1
cosh inf inf
cosh -inf inf
exp nan nan
exp +0 1
exp -0 1
exp inf inf
exp -inf +0
expm1 nan nan
expm1 +0 +0
expm1 -0 -0
expm1 inf inf
expm1 -inf -1
floor integer x1
floor inf inf
floor -inf -inf
floor +0 +0
floor -0 -0
floor nan nan
isfinite inf False
isfinite -inf False
isfinite nan False
isfinite finite True
isinf inf True
isinf -inf True
isinf nan False
isinf finite False
isnan nan True
isnan inf False
isnan finite False
log nan nan
log <0 nan
log +0 -inf
log -0 -inf
log 1 +0
log inf inf
log10 nan nan
log10 <0 nan
log10 +0 -inf
log10 -0 -inf
log10 1 +0
log10 inf inf
log2 nan nan
log2 <0 nan
log2 +0 -inf
log2 -0 -inf
log2 1 +0
log2 inf inf
log1p nan nan
log1p <-1 nan
log1p -1 -inf
log1p -0 -0
log1p +0 +0
log1p inf inf
negative +0 -0
negative -0 +0
negative inf -inf
negative nan nan
reciprocal nan nan
reciprocal +0 inf
reciprocal -0 -inf
reciprocal inf +0
reciprocal -inf -0
round integer x1
round inf inf
round -inf -inf
round +0 +0
round -0 -0
round nan nan
round 0.5 +0
round 1.5 2
round 2.5 2
round -0.5 -0
round -2.5 -2
sign <0 -1
sign -0 +0
sign +0 +0
sign >0 1
sign nan nan
signbit +0 False
signbit -0 True
signbit inf False
signbit -inf True
signbit >0 False
signbit <0 True
sin nan nan
sin +0 +0
sin -0 -0
sin inf nan
sin -inf nan
sinh nan nan
sinh +0 +0
sinh -0 -0
sinh inf inf
sinh -inf -inf
sqrt nan nan
sqrt <0 nan
sqrt +0 +0
sqrt -0 -0
sqrt inf inf
square nan nan
square -0 +0
square -inf inf
tan nan nan
tan +0 +0
tan -0 -0
tan inf nan
tan -inf nan
tanh nan nan
tanh +0 +0
tanh -0 -0
tanh inf 1
tanh -inf -1
trunc integer x1
trunc inf inf
trunc -inf -inf
trunc +0 +0
trunc -0 -0
trunc nan nan
trunc ]-1,0[ -0
trunc ]0,1[ +0
"""

PAIRS = """
add nan all nan
add all nan nan
add inf -inf nan
add -inf inf nan
add inf inf inf
add -inf -inf -inf
add inf finite inf
add finite -inf -inf
add -0 -0 -0
add -0 +0 +0
add +0 +0 +0
add ±0 nonzero x2
add nonzero ±0 x1
atan2 nan all nan
atan2 all nan nan
atan2 >0 +0 pi/2
atan2 >0 -0 pi/2
atan2 +0 >0 +0
atan2 +0 +0 +0
atan2 +0 -0 pi
atan2 +0 <0 pi
atan2 -0 >0 -0
atan2 -0 +0 -0
atan2 -0 -0 -pi
atan2 -0 <0 -pi
atan2 <0 +0 -pi/2
atan2 <0 -0 -pi/2
atan2 positive inf +0
atan2 positive -inf pi
atan2 negative inf -0
atan2 negative -inf -pi
atan2 inf finite pi/2
atan2 -inf finite -pi/2
atan2 inf inf pi/4
atan2 inf -inf 3pi/4
atan2 -inf inf -pi/4
atan2 -inf -inf -3pi/4
divide nan all nan
divide all nan nan
divide ±inf ±inf nan
divide ±0 ±0 nan
divide +0 >0 +0
divide -0 >0 -0
divide +0 <0 -0
divide -0 <0 +0
divide >0 +0 inf
divide >0 -0 -inf
divide <0 +0 -inf
divide <0 -0 inf
divide inf positive inf
divide inf negative -inf
divide -inf positive -inf
divide -inf negative inf
divide positive inf +0
divide positive -inf -0
divide negative inf -0
divide negative -inf +0
floor_divide nan all nan
floor_divide all nan nan
floor_divide ±inf ±inf nan
floor_divide ±0 ±0 nan
floor_divide +0 >0 +0
floor_divide -0 >0 -0
floor_divide +0 <0 -0
floor_divide -0 <0 +0
floor_divide >0 +0 inf
floor_divide >0 -0 -inf
floor_divide <0 +0 -inf
floor_divide <0 -0 inf
floor_divide inf positive inf
floor_divide inf negative -inf
floor_divide -inf positive -inf
floor_divide -inf negative inf
floor_divide positive inf +0
floor_divide positive -inf -0
floor_divide negative inf -0
floor_divide negative -inf +0
hypot ±inf all+nan inf
hypot all+nan ±inf inf
hypot finite nan nan
hypot nan finite nan
hypot nan nan nan
hypot +0 nonzero |x2|
hypot nonzero -0 |x1|
logaddexp nan all nan
logaddexp all nan nan
logaddexp inf all inf
logaddexp finite inf inf
maximum nan all nan
maximum all nan nan
minimum nan all nan
minimum all nan nan
multiply nan all nan
multiply all nan nan
multiply ±inf ±0 nan
multiply ±0 ±inf nan
multiply inf >0 inf
multiply inf <0 -inf
multiply -inf >0 -inf
multiply -inf <0 inf
multiply +0 positive +0
multiply -0 positive -0
multiply +0 negative -0
multiply -0 negative +0
nextafter nan all nan
nextafter all nan nan
nextafter +0 -0 -0
nextafter -0 +0 +0
pow |x|>1 nan nan
pow |x|<1 nan nan
pow all+nan +0 1
pow all+nan -0 1
pow nan nonzero nan
pow |x|>1 inf inf
pow |x|>1 -inf +0
pow ±1 ±inf 1
pow 1 all 1
pow |x|<1 inf +0
pow |x|<1 -inf inf
pow inf >0 inf
pow inf <0 +0
pow -inf odd>0 -inf
pow -inf other>0 inf
pow -inf odd<0 -0
pow -inf other<0 +0
pow +0 >0 +0
pow +0 <0 inf
pow -0 odd>0 -0
pow -0 other>0 +0
pow -0 odd<0 -inf
pow -0 other<0 inf
pow negative fraction nan
remainder nan all nan
remainder all nan nan
remainder ±inf all nan
remainder ±0 ±0 nan
remainder +0 >0 +0
remainder -0 >0 +0
remainder +0 <0 -0
remainder -0 <0 -0
remainder nonzero ±0 nan
remainder positive inf x1
remainder positive -inf x2
remainder negative inf x2
remainder negative -inf x1
subtract nan all nan
subtract inf inf nan
subtract -inf -inf nan
subtract inf -inf inf
subtract -inf inf -inf
subtract +0 +0 +0
subtract -0 +0 -0
"""

COMPLEX = """
abs ±inf,all+nan inf
abs all+nan,±inf inf
abs nan,finite nan
abs finite,nan nan
acos ±0,+0 pi/2,-0
acos ±0,nan pi/2,nan
acos finite,inf pi/2,-inf
acos nonzero,nan nan,nan
acos -inf,positive pi,-inf
acos inf,positive +0,-inf
acos -inf,inf 3pi/4,-inf
acos inf,inf pi/4,-inf
acos ±inf,nan nan,±inf
acos nan,finite nan,nan
acos nan,inf nan,-inf
acos nan,nan nan,nan
acosh ±0,+0 +0,pi/2
acosh finite,inf inf,pi/2
acosh nonzero,nan nan,nan
acosh +0,nan nan,±pi/2
acosh -inf,positive inf,pi
acosh inf,positive inf,+0
acosh -inf,inf inf,3pi/4
acosh inf,inf inf,pi/4
acosh ±inf,nan inf,nan
acosh nan,finite nan,nan
acosh nan,inf inf,nan
acosh nan,nan nan,nan
asinh +0,+0 +0,+0
asinh positive,inf inf,pi/2
asinh finite,nan nan,nan
asinh inf,positive inf,+0
asinh inf,inf inf,pi/4
asinh inf,nan inf,nan
asinh nan,+0 nan,+0
asinh nan,nonzero nan,nan
asinh nan,inf ±inf,nan
asinh nan,nan nan,nan
atanh +0,+0 +0,+0
atanh +0,nan +0,nan
atanh 1,+0 inf,+0
atanh positive,inf +0,pi/2
atanh nonzero,nan nan,nan
atanh inf,positive +0,pi/2
atanh inf,inf +0,pi/2
atanh inf,nan +0,nan
atanh nan,finite nan,nan
atanh nan,inf ±0,pi/2
atanh nan,nan nan,nan
cosh +0,+0 1,+0
cosh +0,inf nan,±0
cosh +0,nan nan,±0
cosh nonzero,inf nan,nan
cosh nonzero,nan nan,nan
cosh inf,+0 inf,+0
cosh inf,nonzero inf*cis
cosh inf,inf ±inf,nan
cosh inf,nan inf,nan
cosh nan,+0 nan,±0
cosh nan,nonzero nan,nan
cosh nan,nan nan,nan
exp ±0,+0 1,+0
exp finite,inf nan,nan
exp finite,nan nan,nan
exp inf,+0 inf,+0
exp -inf,finite 0*cis
exp inf,nonzero inf*cis
exp -inf,inf ±0,±0
exp inf,inf ±inf,nan
exp -inf,nan ±0,±0
exp inf,nan ±inf,nan
exp nan,+0 nan,+0
exp nan,nonzero nan,nan
exp nan,nan nan,nan
expm1 +0,+0 +0,+0
expm1 finite,inf nan,nan
expm1 finite,nan nan,nan
expm1 inf,+0 inf,+0
expm1 -inf,finite 0*cis-1
expm1 inf,nonzero inf*cis
expm1 -inf,inf -1,±0
expm1 inf,inf ±inf,nan
expm1 -inf,nan -1,±0
expm1 inf,nan ±inf,nan
expm1 nan,+0 nan,+0
expm1 nan,nonzero nan,nan
expm1 nan,nan nan,nan
isfinite ±inf,all+nan False
isfinite all,nan False
isfinite finite,finite True
isinf ±inf,all+nan True
isinf all+nan,±inf True
isinf finite,finite False
isnan nan,all+nan True
isnan all,nan True
isnan all,all False
log -0,+0 -inf,pi
log +0,+0 -inf,+0
log finite,inf inf,pi/2
log finite,nan nan,nan
log -inf,positive inf,pi
log inf,positive inf,+0
log -inf,inf inf,3pi/4
log inf,inf inf,pi/4
log ±inf,nan inf,nan
log nan,finite nan,nan
log nan,inf inf,nan
log nan,nan nan,nan
log1p -1,+0 -inf,+0
log1p finite,inf inf,pi/2
log1p finite,nan nan,nan
log1p -inf,positive inf,pi
log1p inf,positive inf,+0
log1p -inf,inf inf,3pi/4
log1p inf,inf inf,pi/4
log1p ±inf,nan inf,nan
log1p nan,finite nan,nan
log1p nan,inf inf,nan
log1p nan,nan nan,nan
sign ±0,±0 +0,±0
sign nan,all+nan nan,nan
sign all,nan nan,nan
sinh +0,+0 +0,+0
sinh +0,inf ±0,nan
sinh +0,nan ±0,nan
sinh positive,inf nan,nan
sinh positive,nan nan,nan
sinh inf,+0 inf,+0
sinh inf,positive inf*cis
sinh inf,inf ±inf,nan
sinh inf,nan ±inf,nan
sinh nan,+0 nan,+0
sinh nan,nonzero nan,nan
sinh nan,nan nan,nan
sqrt ±0,+0 +0,+0
sqrt all+nan,inf inf,inf
sqrt finite,nan nan,nan
sqrt -inf,positive +0,inf
sqrt inf,positive inf,+0
sqrt -inf,nan nan,±inf
sqrt inf,nan inf,nan
sqrt nan,finite nan,nan
sqrt nan,nan nan,nan
tanh +0,+0 +0,+0
tanh nonzero,inf nan,nan
tanh +0,inf +0,nan
tanh nonzero,nan nan,nan
tanh +0,nan +0,nan
tanh inf,positive 1,±0
tanh inf,inf 1,±0
tanh inf,nan 1,±0
tanh nan,+0 nan,+0
tanh nan,nonzero nan,nan
tanh nan,nan nan,nan
"""

POSITIVE = (0.25, 1.0, 2.5, 30.0)
NEGATIVE = (-0.25, -1.0, -2.5, -30.0)
WORDS: dict[str, tuple[float, ...]] = {
    "+0": (0.0,),
    "-0": (-0.0,),
    "±0": (0.0, -0.0),
    "±1": (1.0, -1.0),
    "±inf": (math.inf, -math.inf),
    "positive": POSITIVE,
    "negative": NEGATIVE,
    "nonzero": POSITIVE + NEGATIVE,
    "finite": (0.0, -0.0, *POSITIVE, *NEGATIVE),
    "all": (0.0, -0.0, *POSITIVE, *NEGATIVE, math.inf, -math.inf),
    "all+nan": (0.0, -0.0, *POSITIVE, *NEGATIVE, math.inf, -math.inf, math.nan),
    ">0": (*POSITIVE, math.inf),
    "<0": (*NEGATIVE, -math.inf),
    "<1": (0.5, 0.0, -2.0, -math.inf),
    "<-1": (-1.5, -30.0, -math.inf),
    "|x|>1": (1.5, -2.5, 30.0, -30.0),
    "|x|<1": (0.25, -0.5),
    "]-1,0[": (-0.25, -0.75),
    "]0,1[": (0.25, 0.75),
    "integer": (0.0, -0.0, 3.0, -7.0, 1e10),
    "odd>0": (1.0, 3.0, 5.0),
    "odd<0": (-1.0, -3.0),
    "other>0": (2.0, 2.5, 4.0),
    "other<0": (-2.0, -2.5, -4.0),
    "fraction": (0.5, -0.5, 2.25),
}
"""The numbers for the words of the tables; other words are numbers by themselves."""

CONSTANTS = {"pi": math.pi, "pi/2": math.pi / 2, "pi/4": math.pi / 4, "3pi/4": math.pi * 3 / 4}


def numbers(word: str) -> tuple[float, ...]:
    """Return the numbers that a word for an operand stands for."""
    return WORDS[word] if word in WORDS else (float(word),)


def value(word: str, *operands: float) -> float | bool:
    """Return the number that a word for a result stands for."""
    if word in ("True", "False"):
        return word == "True"
    if word in ("x1", "x2", "|x1|", "|x2|"):
        operand = operands[int(word.strip("|")[1]) - 1]
        return abs(operand) if word[0] == "|" else operand
    sign, word = (-1.0, word[1:]) if word[0] == "-" else (1.0, word.lstrip("+±"))
    return sign * CONSTANTS[word] if word in CONSTANTS else sign * float(word)


def complex_value(word: str, z: complex) -> tuple[float, float] | float | bool:
    """Return the two parts of a complex result, or the number that a result is.

    Args:
        word: two words for numbers, a single one, or a multiple of cis(y), the number cos(y) + i sin(y).
        z: the operand, x + iy.
    """
    if "cis" not in word:
        parts = tuple(value(part) for part in word.split(","))
        return parts if len(parts) == 2 else parts[0]
    factor, rest = word.split("*cis")
    real = math.copysign(float(factor), math.cos(z.imag))
    return real + float(rest or 0) if rest else real, math.copysign(float(factor), math.sin(z.imag))
