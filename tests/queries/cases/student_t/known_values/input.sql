-- parameters: t_values=0.5,-2,40,3 degrees_of_freedom=1,3,7,200
-- With one degree of freedom p is 1 - 2 / pi * atan(t), the quantile tan(0.475 pi). The others are
-- those of scipy.stats.t but for the last three digits.
SELECT 1;
