# tf.function(f, input_signature=input_signature)
import tensorflow as tf

input_signature = [
    tf.TensorSpec(shape=[None, None], dtype=tf.float32, name="input_0"),
    tf.TensorSpec(shape=[None, None], dtype=tf.int32, name="a_b"),
    tf.TensorSpec(shape=[None], dtype=tf.float32, name="say__hi___there_"),
    tf.TensorSpec(shape=[None, 2], dtype=tf.float32, name="gr____e_x"),
    tf.TensorSpec(shape=[None], dtype=tf.bool, name="class"),
    tf.TensorSpec(shape=[None], dtype=tf.float64, name="x_y_1"),
]
